import type { Attachment } from "../../../core/attachment.ts";
import type { Caller } from "../../../core/caller.ts";
import type { ErrorReport } from "../../../kit/errors.ts";
import type { Locale } from "../../../kit/locale.ts";
import type { ChatInput } from "../chat/chat-input.ts";
import type { KeyedRequest } from "../chat/keyed-runs.ts";

/** Is a question that is asked once the runs of its conversation have ended. */
export interface WaitingQuestion {
  readonly id: string;
  readonly conversationId: string;
  readonly caller: Caller;
  readonly input: ChatInput;
  readonly attachments: readonly Attachment[];
  /** Holds what a run has to know of the request, and never a token. */
  readonly headers: Headers;
  /** Is when the caller's sign-in ends, in seconds since 1970. */
  readonly validUntil?: number | undefined;
  /** Names the key of the caller, and never holds it. */
  readonly key?: string | undefined;
  /** Is true where the conversation was stored when the question was asked. */
  readonly isStored: boolean;
  readonly locale: Locale;
  /** Is there where the caller may repeat the request without asking twice. */
  readonly keyed?: KeyedRequest | undefined;
  readonly askedAt: string;
  /** Is the ID that its run will have. */
  readonly reservedRunId: string;
  /** Is the run whose turn the question follows, also one that a question before it will have. */
  afterRun?: string | undefined;
  /** Is the run that answers it, once it has begun. */
  runId?: string | undefined;
  /** Says why it could not begin. */
  problem?: ErrorReport | undefined;
  /** Is true where only a person can change what is in the way: those behind it are asked, and it is tried again with the next one that is added. */
  isRefused?: boolean | undefined;
}

/** Lists the headers that a question keeps while it waits. */
const keptHeaders = ["traceparent", "tracestate", "baggage", "sec-fetch-site"];

/** Returns the headers that a run has to know. */
export function keepHeaders(headers: Headers): Headers {
  return new Headers(
    keptHeaders.flatMap((name): [string, string][] => {
      const value = headers.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );
}
