import request from 'supertest';
import { ProblemsController } from '../../src/problems/problems.controller.js';
import { ERRORS, NOTICES, PROBLEMS, STARTUP } from '../../src/protocol/codes.js';
import { startTinyApp } from '../support/server/tiny-app.js';
import { Module } from '@nestjs/common';

@Module({ controllers: [ProblemsController] })
class ProblemsModule {}

describe(ProblemsController.name, () => {
  it('tells what each code means, so that the type of a problem is a link', async () => {
    const { app } = await startTinyApp({}, ProblemsModule);
    const get = (path: string) => request(app.getHttpServer()).get(path);
    for (const code of Object.keys({ ...PROBLEMS, ...ERRORS, ...NOTICES, ...STARTUP })) {
      const { body } = await get(`/problems/${code}`).expect(200);
      expect(body).toEqual({
        ...{ type: `/problems/${code}`, code, status: PROBLEMS[code]?.[0] ?? null },
        meaning: expect.stringMatching(/\.$/),
      });
    }
    const unknown = await get('/problems/constructor').expect(404);
    expect(unknown.body).toMatchObject({ type: '/problems/problem_not_found' });
    expect((await get(unknown.body.type).expect(200)).body).toMatchObject({ status: 404 });
    const page = await get('/problems/chat_busy').set('Accept', 'text/html,*/*;q=0.8').expect(200);
    expect(page.headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8' });
    expect(page.text).toContain('<h1>chat_busy (409)</h1>');
    await get('/problems/a%20b').expect(400);
    await app.close();
  });
});
