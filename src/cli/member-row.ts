import type { GroupMember } from '../protocol/index.js';

/** A member as a line for a person. */
export function memberRow({ identity }: GroupMember): string {
  const { display_name, account_number, identity_id, presence } = identity;
  const name = `${printable(display_name)}#${account_number}`;
  return `${name.padEnd(28)} ${printable(presence?.status ?? '-').padEnd(10)} ${printable(identity_id)}`;
}

/** A name may hold what moves a terminal's cursor or colours it. */
function printable(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ');
}
