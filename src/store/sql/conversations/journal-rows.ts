import type { StoredBytes } from "../../../core/files/run-files.ts";
import type { AgentEvent } from "../../../core/run/events.ts";
import { type InterruptedRun, isRunHeader, type RecordedStep } from "../../../core/store/journal.ts";
import { isRecord, toText } from "../../../kit/json.ts";
import type { Row } from "../work.ts";

/** Returns undefined for a record that this version cannot read. */
export function toInterruptedRun({
  run,
  owner,
  conversation,
  header,
  begun_at,
  last_at,
  age_ms,
}: Row): InterruptedRun | undefined {
  const read: unknown = JSON.parse(toText(header));
  if (!isRunHeader(read)) return undefined;
  return {
    runId: toText(run),
    owner: typeof owner === "string" ? owner : undefined,
    conversationId: toText(conversation),
    header: read,
    begunAt: toText(begun_at),
    lastAt: toText(last_at),
    ...(age_ms !== undefined && { ageMs: Number(age_ms) }),
  };
}

export function toStep({ name, spent_ms, at, data }: Row): RecordedStep {
  return { name: toText(name), spentMs: Number(spent_ms), at: toText(at), data: JSON.parse(toText(data)) };
}

export function toEvents({ data }: Row): AgentEvent[] {
  const event: unknown = JSON.parse(toText(data));
  return isEvent(event) ? [event] : [];
}

export function toFiles({ hash, bytes }: Row): StoredBytes[] {
  return bytes instanceof Uint8Array ? [{ hash: toText(hash), bytes }] : [];
}

/** The journal reads only what it wrote. */
function isEvent(value: unknown): value is AgentEvent {
  return isRecord(value) && typeof value.type === "string";
}
