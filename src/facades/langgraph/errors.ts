import { AppError } from '../../kernel/app-error.js';

/** A parameter that agents can't honour. */
export function unsupported(field: string, why: string): AppError {
  return faulty('unsupported_parameter', field, why);
}

export function invalidBody(field: string, why: string): AppError {
  return faulty('invalid_body', field, why);
}

/** The error of a conflict that clients know: they take 409 for one that goes by itself. */
export function threadBusy(cause: AppError): AppError {
  const message = `${cause.message} A run with multitask_strategy "interrupt" or "enqueue" is taken.`;
  return new AppError('unprocessable', 'thread_busy', message, { cause, extra: cause.extra });
}

export function assistantNotFound(id: string): AppError {
  const message = `There is no assistant ${id.slice(0, 100)}: POST /langgraph/assistants/search lists them.`;
  return new AppError('not_found', 'model_not_found', message);
}

export function runNotFound(id: string): AppError {
  const message = `There is no run ${id.slice(0, 100)} in the thread, or you don’t see it.`;
  return new AppError('not_found', 'interaction_not_found', message);
}

export function checkpointNotFound(id: string): AppError {
  const message = `There is no checkpoint ${id.slice(0, 100)} in the thread.`;
  return new AppError('not_found', 'interaction_not_found', message);
}

function faulty(code: string, field: string, why: string): AppError {
  const message = `${field} ${why}.`;
  return new AppError('invalid', code, message, { errors: [{ field, message }] });
}
