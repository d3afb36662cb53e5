import type { PlanEntry, SessionUpdate, ToolCallContent, ToolCallLocation, ToolKind } from "@agentclientprotocol/sdk";
import type { AgentEvent, PlanStep, ToolEnd } from "../../core/run/events.ts";
import { isRecord, type JsonValue } from "../../kit/json.ts";
import type { Locale } from "../../kit/locale.ts";
import { renderEvent } from "../../render/event-lines.ts";

/** Turns the events of a run into what an editor shows of it. */
export interface UpdateWriter {
  /** Returns the updates that an event stands for. Most events stand for one or for none. */
  write(event: AgentEvent): SessionUpdate[];
}

export interface UpdateOptions {
  locale: Locale;
  /** Returns the kind of a tool, by which editors choose its icon. */
  findKind(tool: string): ToolKind;
}

export function createUpdateWriter({ locale, findKind }: UpdateOptions): UpdateWriter {
  let answer = "";
  /** Is the answer that is written anew, while it says again what the editor has. */
  let again: string | undefined;

  function addAnswer(text: string): SessionUpdate[] {
    if (again === undefined) {
      answer += text;
      return [say("agent_message_chunk", text)];
    }
    again += text;
    if (answer.startsWith(again)) return [];
    // What the editor has shown cannot be taken back. A line keeps the two answers apart.
    const rest = again.startsWith(answer) ? again.slice(answer.length) : `\n\n---\n\n${again}`;
    answer = again;
    again = undefined;
    return [say("agent_message_chunk", rest)];
  }

  function write(event: AgentEvent): SessionUpdate[] {
    switch (event.type) {
      case "answer-delta":
        return addAnswer(event.text);
      case "answer-restart":
        again = "";
        return [];
      case "thought-delta":
      case "reasoning-delta":
        return [say("agent_thought_chunk", event.text)];
      case "plan":
        return [{ sessionUpdate: "plan", entries: event.steps.map(toEntry) }];
      case "tool-start":
        return [
          {
            sessionUpdate: "tool_call",
            toolCallId: event.callId,
            title: toTitle(event.tool, event.arguments),
            name: event.tool,
            kind: findKind(event.tool),
            status: "in_progress",
            rawInput: event.arguments,
            locations: findLocations(event.arguments),
          },
        ];
      case "tool-progress": {
        const content: ToolCallContent[] = [toContent(event.message)];
        return [{ sessionUpdate: "tool_call_update", toolCallId: event.callId, status: "in_progress", content }];
      }
      case "tool-end":
        return [toEnd(event)];
      case "evaluation":
      case "notice":
        return toLines(renderEvent(event, locale));
      default:
        return [];
    }
  }

  return { write };
}

function toLines(line: string | undefined): SessionUpdate[] {
  return line === undefined || line === "" ? [] : [say("agent_thought_chunk", `\n${line}\n`)];
}

function say(sessionUpdate: "agent_message_chunk" | "agent_thought_chunk", text: string): SessionUpdate {
  return { sessionUpdate, content: { type: "text", text } };
}

function toEnd({ callId, ok, preview, error, top = [] }: ToolEnd): SessionUpdate {
  const found = top.map(({ n, title, url }) => `[${n}] [${title}](${url})`);
  const text = [error?.message ?? preview, ...found].filter((line) => line !== "").join("\n");
  return {
    sessionUpdate: "tool_call_update",
    toolCallId: callId,
    status: ok ? "completed" : "failed",
    content: text === "" ? [] : [toContent(text)],
    rawOutput: error ? { error } : { preview },
  };
}

function toContent(text: string): ToolCallContent {
  return { type: "content", content: { type: "text", text } };
}

const states: Readonly<Record<PlanStep["state"], PlanEntry["status"]>> = {
  pending: "pending",
  running: "in_progress",
  done: "completed",
  failed: "completed",
  skipped: "completed",
};

/** A step that failed or did not run is over for an editor, which has no such state. Its words say what became of it. */
function toEntry({ description, state }: PlanStep): PlanEntry {
  const mark = state === "failed" ? "✗ " : state === "skipped" ? "– " : "";
  return { content: `${mark}${description}`, priority: "medium", status: states[state] };
}

/** Limits the title of a call, in UTF-16 units. */
const longestTitle = 120;

export function toTitle(tool: string, args: JsonValue): string {
  const values = isRecord(args) ? Object.values(args).filter((value) => typeof value === "string") : [];
  const [first = ""] = values;
  const title = first === "" ? tool : `${tool}: ${first}`.replace(/\s+/g, " ");
  return title.length > longestTitle ? `${title.slice(0, longestTitle - 1)}…` : title;
}

/** Names arguments that hold a path, by which an editor follows what happens. */
const pathNames = ["path", "file", "file_path", "filename", "source", "destination"];

export function findLocations(args: JsonValue): ToolCallLocation[] {
  if (!isRecord(args)) return [];
  const paths = pathNames.flatMap((name) => (typeof args[name] === "string" ? [args[name]] : []));
  return paths.filter((path) => path.startsWith("/")).map((path) => ({ path }));
}
