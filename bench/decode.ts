import * as t from 'io-ts';
import { IdentityEventList } from 'lobby-rx/codecs';
import { eventBatch } from './event-batch.js';
import { ioTsEventList, typeBoxEventList, zodEventList } from './event-list.js';
import { isEventList } from './hand-written-checks.js';
import { compare, interleaved } from './measure.js';
import { officialDeserializer } from './peers.js';
import type { Report } from './report.js';

const ROUNDS = 200;
const DECODINGS = 10;

/** The cost of an answer that is parsed and validated, beside other ways to do so. */
export async function benchDecode(report: Report): Promise<void> {
  const text = JSON.stringify(eventBatch(20));
  const official = officialDeserializer();
  const plain = ioTsEventList(t);
  const zod = zodEventList();
  const typeBox = typeBoxEventList();

  /**
   * Each takes the text, and says whether it is a valid batch. What an official client makes of it
   * is not used.
   */
  const contenders: Record<string, (text: string) => boolean | Promise<boolean>> = {
    'lobby-rx': text => areWellFormed(IdentityEventList.decode(JSON.parse(text))),
    'JSON.parse alone': text => (JSON.parse(text) as object | null) !== null,
    'checks by hand': text => isEventList(JSON.parse(text)),
    'typebox, compiled': text => typeBox(JSON.parse(text)),
    'zod 4': text => zod(JSON.parse(text)),
    'plain io-ts: type, partial': text => plain(JSON.parse(text)),
    'the official client': text =>
      official(JSON.parse(text)).then(
        () => true,
        () => false,
      ),
  };
  await checkThatAllValidate(contenders, text);

  const tasks = Object.entries(contenders).map(([name, decode]) => {
    const time = async () => {
      const start = process.hrtime.bigint();
      for (let i = 0; i < DECODINGS; i++) {
        const answer = decode(text);
        if (typeof answer !== 'boolean') await answer;
      }
      return Number(process.hrtime.bigint() - start) / 1_000 / DECODINGS;
    };
    return [name, time] as const;
  });
  const rounds = await interleaved(Object.fromEntries(tasks), { rounds: ROUNDS, warmUp: 50 });
  report.heading(`Parsing and validating a batch of 20 events, ${(text.length / 1024).toFixed(0)} KB`);
  const others = Object.keys(contenders).slice(4);
  compare(report, rounds, 'µs', {
    'JSON.parse alone': [1.45, 1.2],
    'checks by hand': [1.45, 1],
    'typebox, compiled': [1.4, 1],
    ...Object.fromEntries(others.map(name => [name, 1])),
  });
}

/** Whether a list was decoded, and each event in it: an invalid one is only `malformed`. */
function areWellFormed(result: t.Validation<IdentityEventList>): boolean {
  return result._tag === 'Right' && result.right.events.every(({ kind }) => kind !== 'malformed');
}

/** A comparison is fair only if all but `JSON.parse` notice what is wrong, at any depth. */
async function checkThatAllValidate(
  contenders: Readonly<Record<string, (text: string) => boolean | Promise<boolean>>>,
  text: string,
): Promise<void> {
  const edits = [
    ['"overall_value":41.5', '"overall_value":"41.5"'],
    ['"token":"player.0123456789abcdef"', '"token":null'],
    ['"message":"Level 3"', '"message":3'],
    ['"name":"console"', '"name":[]'],
    ['"is_tls":true', '"is_tls":1'],
  ] as const;
  const texts = [text, ...edits.map(([from, to]) => text.replace(from, to))];
  for (const [name, isValid] of Object.entries(contenders)) {
    const accepted: boolean[] = [];
    for (const each of texts) accepted.push(await isValid(each));
    const expected = texts.map(each => each === text || name === 'JSON.parse alone');
    if (accepted.join() !== expected.join()) throw new Error(`${name} does not validate: ${accepted.join()}`);
  }
}
