/** What {@link seedWorld} put into an emulator, under the names that the command line prints. */
export interface SeededWorld {
  readonly groupId: string;
  readonly groupName: string;
  /** The identity whose token this is follows the live events; it is a member of the group. */
  readonly identityId: string;
  readonly identityToken: string;
  /** The lobby, and the token of its server. */
  readonly lobbyId: string;
  readonly lobbyToken: string;
  /** A player token of that lobby, reserved and not yet confirmed. */
  readonly playerToken: string;
  /** Members of the group whose updates the identity gets. */
  readonly friendIds: readonly string[];
}
