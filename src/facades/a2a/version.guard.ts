import { Injectable } from '@nestjs/common';
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { AppError } from '../../kernel/app-error.js';
import { cutText } from '../../kernel/text/cut-text.js';

const VERSION_1 = /^1(?:\.\d{1,4}){0,2}$/;

/** Lets requests in version 1 pass, and those that name none. */
@Injectable()
export class VersionGuard implements CanActivate {
  canActivate(context: ExecutionContext): true {
    const version = context.switchToHttp().getRequest<Request>().get('a2a-version');
    if (version === undefined || version === '' || VERSION_1.test(version)) return true;
    const message = `A2A-Version ${JSON.stringify(cutText(version, 32))} is not supported: 1.0 is.`;
    throw new AppError('invalid', 'version_not_supported', message, {
      errors: [{ field: 'A2A-Version', message }],
    });
  }
}
