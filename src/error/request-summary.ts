/** What an error may say about the request it belongs to. Neither headers nor body: tokens travel in both. */
export interface RequestSummary {
  readonly method: string;
  readonly url: string;
}
