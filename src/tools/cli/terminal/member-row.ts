import { printable } from '../../../error/index.js';
import type { GroupMember } from '../../../protocol/index.js';

/** A member as a row of a table: name and account number, presence status, identity id. */
export function memberRow({ identity }: GroupMember): string {
  const { display_name, account_number, identity_id, presence } = identity;
  const name = `${printable(display_name)}#${account_number}`;
  return `${name.padEnd(28)} ${printable(presence?.status ?? '-').padEnd(10)} ${printable(identity_id)}`;
}
