import type { UserReply } from "../questions/user-question.ts";

type Approval = UserReply<"call">;

/** Says what the calls of a tool do with data. It comes from Duet's own tables and the configuration, never from a server. */
export interface DataFlow {
  /** Is true when results hold data that are not meant for others, such as the user's files. */
  readonly readsPrivate?: boolean | undefined;
  /** Is true when results hold text that somebody else may have written. */
  readonly readsUntrusted?: boolean | undefined;
  /** Is true when only a result that rests on sources has read anything; the tool works on given data, too. */
  readonly readsSources?: boolean | undefined;
  /** Is true when the arguments of a call leave this machine. */
  readonly sendsOut?: boolean | undefined;
}

/** Is what a result rests on. */
interface ReadSources {
  readonly sources?: readonly object[] | undefined;
}

/**
 * Guards a run that has read private data and untrusted text: the text may tell the model to send the data out with its next
 * call.
 */
export interface SendingGuard {
  /** Records what a call that ran has read. Calls of one turn were decided before, so they are recorded at its end. */
  learn(tool: { readonly name: string; readonly dataFlow?: DataFlow | undefined }, result: ReadSources): void;
  /** Names the tools that read the private data; undefined as long as a call may send text out without a question. */
  needsConsent(): readonly string[] | undefined;
  /** Asks a person once: a yes or a no holds for the rest of the run. One call asks at a time. */
  ask(approve: () => Promise<Approval | undefined>): Promise<Approval | undefined>;
}
