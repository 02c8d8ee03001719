/** Thrown while a body is read; under the name that node-fetch gives the same thing, so that one look tells both. */
export class BodyTooLarge extends Error {
  readonly type = 'max-size';

  constructor(maxBody: number) {
    super(`the answer is larger than ${maxBody} bytes`);
  }
}
