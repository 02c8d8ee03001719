import type { Receiver, SentRequest } from '../../src/transport/send.js';

type Sending = (receiver: Receiver) => SentRequest;

/** Sends, and keeps the request and a promise of its head. */
export function sentWith(send: Sending): { readonly sent: SentRequest; readonly head: Promise<unknown> } {
  let sent!: SentRequest;
  const head = new Promise((resolve, reject) => {
    sent = send({
      onHead: resolve,
      onPart: () => undefined,
      onEnd: () => undefined,
      onFailure: reject,
    });
  });
  return { sent, head };
}
