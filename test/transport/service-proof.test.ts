import { deepStrictEqual, strictEqual, throws } from 'node:assert';
import { ServiceProof, type TransportRequest, type TransportResponse } from '../../src/transport/index.js';

describe('who answered', () => {
  const answer = (status: number, text = '', rayId?: string): TransportResponse => ({
    status,
    text,
    headers: new Headers(rayId === undefined ? {} : { 'rvt-ray-id': rayId }),
  });
  const request = { method: 'POST', url: 'https://service.example/', headers: {}, server: 'api' } as const;
  const plain = { ...request, emptyOk: 'plain' } as const;
  const any = { ...request, emptyOk: 'any' } as const;
  const judge = (proof: ServiceProof, asked: TransportRequest, answered: TransportResponse, took = 0) =>
    proof.judge(asked, answered, took);

  it('is judged by the form of an OK and by the code of an error as long as no ray id has come', () => {
    const proof = new ServiceProof();
    const judged = (one: TransportResponse) => [plain, any, request].map(each => judge(proof, each, one));
    for (const ok of [answer(200), answer(200, ' {} '), answer(204)])
      deepStrictEqual(judged(ok), [undefined, undefined, undefined]);
    for (const odd of [answer(202), answer(201, '{}'), answer(200, '{"code":"MAINTENANCE"}')])
      deepStrictEqual(judged(odd), [false, undefined, undefined]);
    strictEqual(judge(proof, request, answer(404, '{"code":"GROUP_NOT_FOUND"}')), true);
    for (const foreign of [
      '',
      '<html>',
      '{"code":"not_found"}',
      '{"code":404}',
      '{"ray_id":"of Cloudflare"}',
    ])
      strictEqual(judge(proof, request, answer(404, foreign)), false, foreign);
    strictEqual(proof.knows('api'), false);
  });

  it('is the service only with a ray id once its header has shown one', () => {
    const proof = new ServiceProof();
    strictEqual(judge(proof, plain, answer(500, '{"code":"API","ray_id":"in the body"}')), true);
    strictEqual(proof.knows('api'), false);
    strictEqual(judge(proof, plain, answer(400, '', 'r')), true);
    strictEqual(proof.knows('api'), true);
    strictEqual(judge(proof, plain, answer(201, '{"more":1}', 'r')), true);
    for (const foreign of [answer(200), answer(204), answer(404, '{"code":"NOT_FOUND"}'), answer(500)])
      deepStrictEqual(
        [plain, any].map(each => judge(proof, each, foreign)),
        [false, false],
      );
    // A proxy that shows pages the header of an OK only leaves the body as it is.
    strictEqual(judge(proof, plain, answer(404, '{"code":"NOT_FOUND","ray_id":"r"}')), true);
    strictEqual(judge(proof, plain, answer(403, '{"code":"error-1020","ray_id":"r"}')), false);
    strictEqual(judge(proof, plain, answer(200, '{"code":"NOT_FOUND","ray_id":"r"}')), false);
  });

  it('is said of an OK with content, too, although that is its own proof', () => {
    const proof = new ServiceProof();
    const ok = answer(200, '{"members":[]}');
    strictEqual(judge(proof, request, ok), undefined);
    judge(proof, request, answer(200, '{}', 'r'));
    strictEqual(judge(proof, request, ok), false);
  });

  it('is a cache if the answer is older than its request, although it has a ray id', () => {
    const aged = (age: string, status: number, text = '') => {
      const headers = new Headers({ 'rvt-ray-id': 'r', age });
      return { status, text, headers };
    };
    for (const stored of [aged('5', 200, '{}'), aged('5', 401, '{"code":"TOKEN_ERROR","ray_id":"r"}')]) {
      const proof = new ServiceProof();
      strictEqual(judge(proof, plain, stored, 3_000), false);
      strictEqual(proof.knows('api'), true);
      // Traffic Server gives each answer the age of the time that it took.
      strictEqual(judge(proof, plain, stored, 4_000), true);
    }
    for (const fresh of ['0', '', 'x', '-7'])
      strictEqual(judge(new ServiceProof(), plain, aged(fresh, 200)), true, fresh);
  });

  it('is known of each server by itself, and not from an empty ray id', () => {
    const proof = new ServiceProof();
    judge(proof, { ...plain, server: 'matchmaker' }, answer(200, '', ''));
    judge(proof, { ...plain, server: 'matchmaker/v1/own' }, answer(200, '', 'r'));
    deepStrictEqual(
      ['matchmaker', 'matchmaker/v1/own', 'api'].map(server => proof.knows(server)),
      [false, true, false],
    );
    strictEqual(judge(proof, plain, answer(200)), undefined);
  });

  it('is what a function of the config says, and only `true` means yes', () => {
    const of = (isOwn: (answer: TransportResponse) => unknown) =>
      new ServiceProof(isOwn as (answer: object) => boolean);
    const proof = of(({ status }) => status === 200 || status === 400);
    deepStrictEqual(
      [answer(200, '{"more":1}'), answer(204), answer(400), answer(404, '{"code":"X"}', 'r')].map(each =>
        judge(proof, plain, each),
      ),
      [true, false, true, false],
    );
    strictEqual(proof.knows('api'), true);
    const unclear: readonly (() => unknown)[] = [
      () => 'yes',
      () => undefined,
      () => {
        throw new Error('broken');
      },
    ];
    for (const isOwn of unclear) strictEqual(judge(of(isOwn), plain, answer(200)), false);
    throws(
      () =>
        judge(
          of(() => Promise.resolve(true)),
          plain,
          answer(200),
        ),
      /isFromService must be a function/,
    );
  });

  it('is not known of an answer without headers, as a transport of your own may give it', () => {
    const bare = { status: 200, text: '{}' } as unknown as TransportResponse;
    strictEqual(judge(new ServiceProof(), plain, bare), undefined);
  });
});
