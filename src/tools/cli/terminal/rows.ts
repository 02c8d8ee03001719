import { styleText } from 'node:util';
import { printable, type DecodeIssue } from '../../../error/index.js';
import {
  lobbyAddress,
  type GroupMember,
  type LiveEvent,
  type MalformedMember,
} from '../../../protocol/index.js';
import { jsonLine } from './json-line.js';

type Colour = Parameters<typeof styleText>[0];

/** Longer details are cut off, so that a payload does not fill the screen. */
const MAX_DETAILS_LETTERS = 120;

/**
 * A live event as one line for people, with its time, its kind and its details. It contains no
 * player token.
 */
export function eventRow(event: LiveEvent): string {
  const { kind, colour, details } = describe(event);
  const text = printable(details);
  const short = text.length > MAX_DETAILS_LETTERS ? `${text.slice(0, MAX_DETAILS_LETTERS)}…` : text;
  return `${timeOf(event)}  ${painted(colour, printable(kind).padEnd(22))} ${short}`;
}

interface Description {
  readonly kind: string;
  readonly colour: Colour;
  readonly details: string;
}

function describe(event: LiveEvent): Description {
  switch (event.kind) {
    case 'identity_update': {
      const { display_name, account_number, presence } = event.identity;
      const activity = presence?.game_activity?.message;
      const details = [`${display_name}#${account_number}`, presence?.status, activity].filter(Boolean);
      return { kind: event.kind, colour: 'cyan', details: details.join('  ') };
    }
    case 'matchmaker_lobby_join':
      return {
        kind: event.kind,
        colour: 'green',
        details: `${event.lobby.region.display_name}  ${placeOf(event)}`,
      };
    case 'unknown': {
      const { name, notification, payload } = event;
      const details = notification ? `${notification.title}: ${notification.description}` : jsonLine(payload);
      return { kind: name, colour: 'yellow', details };
    }
    case 'malformed': {
      return { kind: event.kind, colour: 'red', details: issueText(event.errors[0]) };
    }
  }
}

/** The first fault of an event or a member, in words. */
export function issueText(issue: DecodeIssue | undefined): string {
  return issue ? `${issue.path} must be ${issue.expected}; got ${issue.got}` : '';
}

/** The address of a lobby. Its id if it has no address, or several. */
function placeOf({ lobby, ports }: Extract<LiveEvent, { kind: 'matchmaker_lobby_join' }>): string {
  try {
    return lobbyAddress({ ports }).url;
  } catch {
    return lobby.lobby_id;
  }
}

/** The local time of an event. If the server sent no date, the text that it sent. */
function timeOf(event: LiveEvent): string {
  const ts = event.kind === 'malformed' ? (Object(event.raw) as { ts?: unknown }).ts : event.ts;
  const text = typeof ts === 'string' ? ts : '-';
  const date = new Date(text);
  return Number.isNaN(date.getTime())
    ? printable(text).slice(0, 24).padEnd(8)
    : date.toTimeString().slice(0, 8);
}

/** The text in colour, unless the terminal has no colours or `NO_COLOR` is set. */
function painted(colour: Colour, text: string): string {
  const { stdout } = process;
  return stdout.isTTY && stdout.hasColors() ? styleText(colour, text) : text;
}

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
