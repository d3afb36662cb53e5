import type { AgentTrace } from "../../../core/run/trace.ts";
import { toRunEntry } from "../../../core/store/conversations/entries.ts";
import { packText, unpackText } from "./packed-text.ts";

/** Holds a trace as its row stores it. */
export interface TraceColumns {
  /** Holds the whole trace as JSON or, where `packed` holds it, what a list of runs shows. */
  trace: string;
  /** Holds the whole trace as `packText` stores it. */
  packed: Uint8Array | null;
}

/** A shorter trace, in bytes, is stored whole: to pack it takes ten times as long as to write it, and 270 kB of memory for a moment. */
const shortestPacked = 4_000;

/** Prepares a trace for its row. */
export async function packTrace(trace: AgentTrace): Promise<TraceColumns> {
  const json = JSON.stringify(trace);
  if (Buffer.byteLength(json) < shortestPacked) return { trace: json, packed: null };
  const { id, question, status, startedAt } = toRunEntry(trace);
  const entry = JSON.stringify({ run_id: id, question, status, started_at: startedAt, steps: [] });
  return { trace: entry, packed: await packText(json, dictionary) };
}

/** Returns the JSON of a packed trace. Throws for bytes that are none. */
export function unpackTrace(packed: Uint8Array): string {
  return unpackText(packed, dictionary);
}

/**
 * Holds what traces have in common, the most frequent last. With it, a run of two short turns takes a fifth of its JSON, without
 * it two fifths. Traces that were packed with it cannot be read without it: it never changes.
 */
const dictionary = Buffer.from(
  [
    '"plan":[{"id":"","title":"","status":"done","status":"skipped","tool":"","depends_on":[]}],"agents":{"runs":1,"total_tokens":',
    '"thought_left_out":,"observation_left_out":,"tool_output_left_out":,"permission":{"decision":"refused","rule":"","error":"',
    '"status":"failed","status":"cancelled","status":"partial","finish_reason":"error","finish_reason":"time_limit","error":{"code":"","message":"","hint":null}',
    '{"timestamp":"2026-01-01T00:00:00.000Z","phase":1,"level":"warning","code":"retry","message":"The results are empty or short (under 20 characters); the model decides whether to continue."}',
    "The model judged the information sufficient and answered.",
    "模型判断信息已足够，开始回答。结果为空或过短（少于 20 个字符），由模型决定是否继续。",
    '{"step":1,"thought":"","phase":1,"action":{"type":"action","tool":"calculator","args":{"query":"","url":"https://www."}},"observation":"","elapsed_ms":0,"timestamp":"2026-01-01T00:00:00.000Z","tool_output":"","cached":false,"permission":{"decision":"allowed","rule":"tools.allow: *"}},',
    '{"step":2,"phase":2,"observation":"","action":{"type":"final","tool":"","args":{}},"elapsed_ms":0,"timestamp":"2026-01-01T00:00:00.000Z"}],"final_answer":"',
    '{"run_id":"run-","conversation_id":"conv-","trace_id":"","question":"","mode":"agent","started_at":"2026-01-01T00:00:00.000Z","status":"complete","steps":[',
    '","finish_reason":"answered","used_tools":{"":{"count":1,"total_ms":0}},"token_usage":{"input_tokens":0,"output_tokens":0,"reasoning_tokens":0,"cached_tokens":0,"total_tokens":0},"total_ms":0,"phases":[',
    '{"phase":"decide","step":1,"model":"deepseek/deepseek-chat","input_tokens":0,"output_tokens":0,"reasoning_tokens":0,"cached_tokens":0,"elapsed_ms":0,"cost_usd":null},',
    '{"phase":"answer","step":2,"model":"openai/gpt-","input_tokens":0,"output_tokens":0,"reasoning_tokens":0,"cached_tokens":0,"elapsed_ms":0,"cost_usd":0.0}],"models":{"function_call":{"provider":"deepseek","model":"deepseek-chat","calls":1,"input_tokens":0,"output_tokens":0,"reasoning_tokens":0,"cached_tokens":0,"elapsed_ms":0,"cost_usd":null},"answer":{"provider":"anthropic","model":"claude-","calls":1,"input_tokens":0,"output_tokens":0,"reasoning_tokens":0,"cached_tokens":0,"elapsed_ms":0,"cost_usd":null}},"cost_usd":null,"notes":[],"error":null}',
  ].join("\n"),
);
