import { deepStrictEqual } from 'node:assert';
import { Heartbeat } from '../../../src/integrations/browser/heartbeat.js';
import { RelayedLog } from '../../../src/integrations/browser/relayed-log.js';
import { TabInbox } from '../../../src/integrations/browser/tab-inbox.js';
import { TabLead } from '../../../src/integrations/browser/tab-lead.js';
import type { TabMemory } from '../../../src/integrations/browser/tab-outbox.js';
import type { TabChannel, TabMessage } from '../../../src/integrations/browser/tab-message.js';
import { TabOutbox } from '../../../src/integrations/browser/tab-outbox.js';
import { virtualTime } from '../../virtual-time.js';

/** A tab that follows, and knows the leader with the number 7. Returns what it sends. */
function followingTab() {
  const { scheduler } = virtualTime();
  const sent: TabMessage<never>[] = [];
  const channel: TabChannel = {
    onmessage: null,
    postMessage: message => void sent.push(message as TabMessage<never>),
    close: () => undefined,
  };
  const memory: TabMemory<never> = {
    id: 'follower',
    log: new RelayedLog<never>({}, scheduler.now()),
    heartbeat: new Heartbeat(scheduler),
    epoch: 7,
  };
  const outbox = new TabOutbox(memory, channel);
  const lead = new TabLead(memory, outbox, scheduler);
  new TabInbox(memory, outbox, lead, scheduler).open(channel, () => undefined);
  const receive = (message: TabMessage<never>) => channel.onmessage!({ data: message });
  return { memory, receive, sent };
}

describe('TabInbox', () => {
  it('answers the claim of a tab that does not know the newest leader, with its number', () => {
    const { memory, receive, sent } = followingTab();
    receive({ kind: 'claim', by: 'newcomer', epoch: 3, position: undefined });
    deepStrictEqual(
      sent.map(message => message.kind === 'reply' && { to: message.to, epoch: message.epoch }),
      [{ to: 'newcomer', epoch: 7 }],
    );
    deepStrictEqual(memory.epoch, 7);
  });

  it('leaves all other messages of such a tab unanswered', () => {
    const { receive, sent } = followingTab();
    receive({ kind: 'beat', epoch: 3, index: '5' });
    receive({ kind: 'hello', by: 'newcomer', epoch: 3, position: undefined });
    deepStrictEqual(sent, []);
  });
});
