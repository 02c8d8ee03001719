import { strictEqual } from 'node:assert';
import { keepsNoStore } from '../../src/transport/send-by-fetch.js';

describe('a GET of a page', () => {
  it('asks that no cache answers, where the platform does nothing else for it', () => {
    strictEqual(keepsNoStore(Request), true);
  });

  it('does not ask where the time would be added to its URL, as React Native does', () => {
    class TimedRequest {
      readonly cache: string;
      readonly url: string;
      constructor(url: string, { cache = '' }: { readonly cache?: string }) {
        this.cache = cache;
        this.url = cache === 'no-store' ? `${url}?_=${Date.UTC(2026, 0, 1)}` : url;
      }
    }
    strictEqual(keepsNoStore(TimedRequest), false);
  });

  it('does not ask where that is an error, as in workerd with an older compatibility date', () => {
    class StrictRequest {
      readonly url: string;
      constructor(url: string, init: { readonly cache?: string }) {
        if (init.cache !== undefined)
          throw new Error("The 'cache' field on 'RequestInitializerDict' is not implemented.");
        this.url = url;
      }
    }
    strictEqual(keepsNoStore(StrictRequest), false);
  });

  it('does not ask where there is no Request', () => {
    strictEqual(keepsNoStore(undefined), false);
  });
});
