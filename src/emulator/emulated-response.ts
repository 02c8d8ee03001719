/** How far an answer gets: whole, broken off or stalled at a place, or not at all. */
export type Delivery =
  | 'whole'
  | 'reset_before_headers'
  | 'reset_in_body'
  | 'close_in_body'
  | 'stall_before_headers'
  | 'stall_in_body';

/** What the emulator answers. */
export interface EmulatedResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** How far it gets. Default `whole`. */
  readonly delivery?: Delivery;
}
