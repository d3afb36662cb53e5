import type { FileRequests } from "./agent-files.ts";
import type { AgentTurn, ReportedUse } from "./agent-turn.ts";
import type { AgentConsent } from "./consent.ts";
import type { SessionChoice } from "./read-update.ts";
import type { Terminals } from "./terminals.ts";

/** Holds what serves an agent's requests while it works on one question. */
export interface ActiveWork {
  turn: AgentTurn;
  /** Resolves when the agent has ended its work, which may be a moment after its asker has left. */
  over: Promise<void>;
  consent: AgentConsent;
  /** Is absent where the agent may use no files through us. */
  files: FileRequests | undefined;
  /** Is absent where the agent may run no commands through us. */
  terminals: Terminals | undefined;
  tool: string;
  rule: string;
  locale: "zh" | "en";
}

/** Holds what is known of a session. */
export interface KnownSession {
  id: string;
  /** Is true from when a question gets it until the agent has ended its work. */
  isTaken: boolean;
  /** Is set while the agent works on a question in it. */
  work: ActiveWork | undefined;
  /** Is what the agent has told of its modes last. */
  modes?: SessionChoice | undefined;
  /** Is the mode that it was set to. */
  heldMode?: string | undefined;
  /** Is what the agent has told of it last. Of a session that is taken up again, nothing is known before the agent tells it. */
  told: ReportedUse;
}
