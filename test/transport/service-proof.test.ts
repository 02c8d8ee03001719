import { deepStrictEqual, strictEqual } from 'node:assert';
import { ServiceProof, type TransportResponse } from '../../src/transport/index.js';

describe('who answered', () => {
  const answer = (status: number, text = '', rayId?: string): TransportResponse => ({
    status,
    text,
    headers: new Headers(rayId === undefined ? {} : { 'rvt-ray-id': rayId }),
  });
  const request = { method: 'POST', url: 'https://service.example/', headers: {}, server: 'api' } as const;
  const plain = { ...request, emptyOk: 'plain' } as const;
  const any = { ...request, emptyOk: 'any' } as const;

  it('is judged by the form of an OK and by the code of an error as long as no ray id has come', () => {
    const proof = new ServiceProof();
    const judged = (one: TransportResponse) => [plain, any, request].map(each => proof.judge(each, one));
    for (const ok of [answer(200), answer(200, ' {} '), answer(204)])
      deepStrictEqual(judged(ok), [undefined, undefined, undefined]);
    for (const odd of [answer(202), answer(201, '{}'), answer(200, '{"code":"MAINTENANCE"}')])
      deepStrictEqual(judged(odd), [false, undefined, undefined]);
    strictEqual(proof.judge(request, answer(404, '{"code":"GROUP_NOT_FOUND"}')), true);
    for (const foreign of [
      '',
      '<html>',
      '{"code":"not_found"}',
      '{"code":404}',
      '{"ray_id":"of Cloudflare"}',
    ])
      strictEqual(proof.judge(request, answer(404, foreign)), false, foreign);
    strictEqual(proof.knows('api'), false);
  });

  it('is the service only with a ray id once its header has shown one', () => {
    const proof = new ServiceProof();
    strictEqual(proof.judge(plain, answer(500, '{"code":"API","ray_id":"in the body"}')), true);
    strictEqual(proof.knows('api'), false);
    strictEqual(proof.judge(plain, answer(400, '', 'r')), true);
    strictEqual(proof.knows('api'), true);
    strictEqual(proof.judge(plain, answer(201, '{"more":1}', 'r')), true);
    for (const foreign of [answer(200), answer(204), answer(404, '{"code":"NOT_FOUND"}'), answer(500)])
      deepStrictEqual(
        [plain, any].map(each => proof.judge(each, foreign)),
        [false, false],
      );
    // A proxy that shows pages the header of an OK only leaves the body as it is.
    strictEqual(proof.judge(plain, answer(404, '{"code":"NOT_FOUND","ray_id":"r"}')), true);
    strictEqual(proof.judge(plain, answer(403, '{"code":"error-1020","ray_id":"r"}')), false);
    strictEqual(proof.judge(plain, answer(200, '{"code":"NOT_FOUND","ray_id":"r"}')), false);
  });

  it('does not matter for an OK whose content is its own proof', () => {
    const proof = new ServiceProof();
    proof.judge(request, answer(200, '{}', 'r'));
    strictEqual(proof.judge(request, answer(200, '{"members":[]}')), undefined);
  });

  it('is known of each server by itself, and not from an empty ray id', () => {
    const proof = new ServiceProof();
    proof.judge({ ...plain, server: 'matchmaker' }, answer(200, '', ''));
    proof.judge({ ...plain, server: 'matchmaker/v1/own' }, answer(200, '', 'r'));
    deepStrictEqual(
      ['matchmaker', 'matchmaker/v1/own', 'api'].map(server => proof.knows(server)),
      [false, true, false],
    );
    strictEqual(proof.judge(plain, answer(200)), undefined);
  });

  it('is what a function of the config says, and only `true` means yes', () => {
    const of = (isOwn: (answer: TransportResponse) => unknown) =>
      new ServiceProof(isOwn as (answer: object) => boolean);
    const proof = of(({ status }) => status === 200 || status === 400);
    deepStrictEqual(
      [answer(200, '{"more":1}'), answer(204), answer(400), answer(404, '{"code":"X"}', 'r')].map(each =>
        proof.judge(plain, each),
      ),
      [true, false, true, false],
    );
    strictEqual(proof.knows('api'), true);
    const unclear: readonly (() => unknown)[] = [
      () => Promise.resolve(true),
      () => 'yes',
      () => undefined,
      () => {
        throw new Error('broken');
      },
    ];
    for (const isOwn of unclear) strictEqual(of(isOwn).judge(plain, answer(200)), false);
  });

  it('is not known of an answer without headers, as a transport of your own may give it', () => {
    const bare = { status: 200, text: '{}' } as unknown as TransportResponse;
    strictEqual(new ServiceProof().judge(plain, bare), undefined);
  });
});
