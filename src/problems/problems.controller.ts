import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { NeedsNoStore } from '../http/security/needs-no-store.js';
import { AppError } from '../kernel/app-error.js';
import { ERRORS, NOTICES, PROBLEMS, STARTUP } from '../protocol/codes.js';
import { Access } from '../auth/access.decorator.js';
import { CodeDto } from './dto/code.dto.js';
import { ApiAnswer } from '../http/openapi/answer.js';
import { codeMeaning } from './code-meaning.js';
import type { CodeMeaning } from './code-meaning.js';

/** The codes of problems, errors and notices: what the `type` of a problem document links to. */
@ApiTags('operations')
@Access('public')
@NeedsNoStore()
@Controller('problems')
export class ProblemsController {
  @Get(':code')
  @ApiOperation({ summary: 'Explain the code of a problem, error or notice' })
  @ApiAnswer(200, codeMeaning, { description: 'HTML for a browser.' })
  @ApiResponse({ status: 404 })
  get(
    @Param() { code }: CodeDto,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): CodeMeaning | string {
    const meaning = meaningOf(code);
    response.vary('Accept');
    if (request.accepts('json', 'html') !== 'html') return meaning;
    response.type('html').set('Content-Security-Policy', "default-src 'none'");
    return toPage(meaning);
  }
}

/** @throws AppError `problem_not_found` (404) */
function meaningOf(code: string): CodeMeaning {
  const [status, problem] = own(PROBLEMS, code) ?? [null];
  const meaning = problem ?? own(ERRORS, code) ?? own(NOTICES, code) ?? own(STARTUP, code);
  if (meaning === undefined)
    throw new AppError(
      'not_found',
      'problem_not_found',
      `No problem, error or notice of this server has the code ${code}.`,
    );
  return { type: `/problems/${code}`, code, status, meaning };
}

function own<T>(table: Readonly<Record<string, T>>, code: string): T | undefined {
  return Object.hasOwn(table, code) ? table[code] : undefined;
}

/** None of its parts comes from the request: the code is one of the table. */
function toPage({ code, status, meaning }: CodeMeaning): string {
  const text = meaning.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const heading = status === null ? code : `${code} (${status})`;
  return `<!doctype html><html lang="en"><title>${code}</title><h1>${heading}</h1><p>${text}</p></html>\n`;
}
