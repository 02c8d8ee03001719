/** What an error may reveal about its request. Headers and body are left out, because both carry tokens. */
export interface RequestSummary {
  readonly method: string;
  readonly url: string;
}
