import type { JetStreamManager, StreamInfo } from '@nats-io/jetstream';
import type { FleetNames } from '../fleet-names.js';
import { problemOf } from '../require-stream.js';

/** A copy of a stream on one server of a cluster. */
export interface StreamCopy {
  readonly server: string;
  readonly isLeader: boolean;
  /** Whether it has everything that the leader has. */
  readonly isCurrent: boolean;
  readonly isOffline: boolean;
}

/** A stream of a fleet, as NATS has it. */
export interface FleetStream {
  readonly name: string;
  /** How many copies it should have. */
  readonly replicas: number;
  /** Those that it has. Empty on a server that is not in a cluster. */
  readonly copies: readonly StreamCopy[];
  readonly messages: number;
  readonly bytes: number;
  /** How long it keeps a message, in ms. 0 if there is no limit. */
  readonly maxAge: number;
  /** How large it may become, in bytes. -1 if there is no limit. */
  readonly maxBytes: number;
  /** What keeps a fleet from using it. */
  readonly problem?: string;
}

/** A stream of a fleet. */
export async function streamOf(jsm: JetStreamManager, names: FleetNames, name: string): Promise<FleetStream> {
  const info = await jsm.streams.info(name);
  const problem = name === names.stream ? problemOf(info.config, names) : undefined;
  return { ...described(info), ...(problem !== undefined && { problem }) };
}

function described({ config, state, cluster }: StreamInfo): FleetStream {
  const { name, num_replicas: replicas, max_age, max_bytes: maxBytes } = config;
  const { messages, bytes } = state;
  return { name, replicas, copies: copiesIn(cluster), messages, bytes, maxAge: max_age / 1e6, maxBytes };
}

function copiesIn(cluster: StreamInfo['cluster']): readonly StreamCopy[] {
  if (!cluster) return [];
  const others = (cluster.replicas ?? []).map(({ name, current, offline }) => ({
    server: name,
    isLeader: false,
    isCurrent: current,
    isOffline: offline,
  }));
  const { leader } = cluster;
  if (!leader) return others;
  return [{ server: leader, isLeader: true, isCurrent: true, isOffline: false }, ...others];
}
