import { printable } from '../../../error/index.js';
import type { GroupMember, MalformedMember } from '../../../protocol/index.js';
import { issueText } from './event-row.js';

/** A member as a row of a table, with name and account number, presence status and identity id. */
export function memberRow({ identity }: GroupMember): string {
  const { display_name, account_number, identity_id, presence } = identity;
  const name = `${printable(display_name)}#${account_number}`;
  return `${name.padEnd(28)} ${printable(presence?.status ?? '-').padEnd(10)} ${printable(identity_id)}`;
}

/** Why a member is not shown, for standard error. */
export function malformedText({ identity_id, errors }: MalformedMember): string {
  return `a member cannot be read, ${printable(identity_id ?? 'whose id is unknown')}: ${issueText(errors[0])}`;
}
