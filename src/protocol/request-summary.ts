/** What an error may say about the request it belongs to: neither headers nor body, because tokens travel in both. */
export interface RequestSummary {
  readonly method: string;
  readonly url: string;
}
