/** A message of one of the streams that a fleet has had: one that was deleted is created again, and numbers its messages anew. */
export interface StreamPosition {
  /** The number of the stream: higher than those of all before it. */
  readonly generation: number;
  readonly sequence: number;
}

/** More messages than a stream can have. A generation has at most 13 bits, so that both together are a safe integer. */
const SEQUENCES = 2 ** 40;

/** Both as one number, which is higher than those of all messages before, also of earlier streams. */
export function toPosition({ generation, sequence }: StreamPosition): number {
  return generation * SEQUENCES + sequence;
}

export function fromPosition(position: number): StreamPosition {
  return { generation: Math.floor(position / SEQUENCES), sequence: position % SEQUENCES };
}
