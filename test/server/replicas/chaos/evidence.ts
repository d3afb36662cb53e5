/** What a tool process has written about itself: nobody else knows what has really happened. */
export interface ToolLine {
  /** Milliseconds since 1970, by the machine's clock, as everywhere here. */
  at: number;
  what: "begin" | "end";
  tool: string;
  call: string;
  /** The tool's process and its host's. */
  pid: number;
  parent: number;
}

/** An event with a number, as a client has received it. */
export interface SeenEvent {
  id: number;
  at: number;
  type: string;
  callId?: string;
  /** The call that `tool-start` names. */
  call?: string;
  /** The code of a `notice`. */
  notice?: string;
}

/** What a client has made of one question. */
export interface ClientRun {
  name: string;
  runId: string;
  /** The calls that its question names. */
  calls: string[];
  events: SeenEvent[];
  /** What the text of its events comes to. */
  answer: string;
  outcome?: {
    status: string;
    response: string;
    error?: string;
    calls: { call: string; ok: boolean; result: string }[];
  };
  /** How often it was told the end, with or without a number. */
  ends: number;
  /** How often it was told that the run could not begin. */
  unbegun: number;
  /** How often it came back to a stream. */
  returns: number;
  /** What it was told last beside events. */
  last: string;
  /** Answers that no replica should have given. */
  refusals: string[];
}

/** The moment from which a call's outcome was in the database for good. */
export interface Commit {
  runId: string;
  callId: string;
  at: number;
}

/** A replica has got a run, or nobody has it (`pid` is undefined), or the run has ended. */
export interface Hold {
  runId: string;
  at: number;
  pid: number | undefined;
  epoch: number;
  state: string;
}

/** One process of a replica. */
export interface ReplicaLife {
  name: string;
  pid: number;
  startedAt: number;
  readyAt?: number;
  endedAt?: number;
  end?: "killed" | "asked";
  exitCode?: number | null;
  /** When it stood still, or could not reach the database. */
  away: { from: number; until?: number }[];
}

/** Something that has to come to exactly one number, or to take no longer than a time. */
export interface Expected {
  what: string;
  is: number;
  wanted: { exactly: number } | { most: number };
}

export interface Evidence {
  tools: ToolLine[];
  clients: ClientRun[];
  commits: Commit[];
  holds: Hold[];
  lives: ReplicaLife[];
  /** The numbers of the events that are stored, by run. */
  stored: Map<string, { first: number; last: number; count: number }>;
  /** Which call a `callId` stands for, by run and id. */
  callNames: Map<string, string>;
  expected: Expected[];
  /** What is still there after all has ended: connections, processes. */
  left: string[];
  /** What must not happen in this fault, beside what must never happen. */
  forbids: { unknown: boolean; takeovers: boolean; late: boolean };
}

export const toCallKey = (runId: string, callId: string): string => `${runId} ${callId}`;
