import type { ZodOptional, ZodUnknown } from "zod";
import { defineGroup, defineSetting, type Setting } from "./setting.ts";

/** Lists the events of Claude Code at which nothing runs here, so that its configuration can be taken over as it is. */
const otherEvents = [
  ...["Setup", "UserPromptExpansion", "PermissionRequest", "PermissionDenied", "PostToolBatch", "Notification"],
  ...["MessageDisplay", "SubagentStart", "SubagentStop", "TaskCreated", "TaskCompleted", "TeammateIdle"],
  ...["InstructionsLoaded", "ConfigChange", "CwdChanged", "DirectoryAdded", "FileChanged", "WorktreeCreate"],
  ...["WorktreeRemove", "PreCompact", "PostCompact", "Elicitation", "ElicitationResult", "SessionEnd"],
] as const;

/** Holds the hooks by their events, in the nesting of Claude Code. */
export const hookSettings = defineGroup(
  {
    SessionStart: defineSetting(({ hookGroups }) => hookGroups.optional(), {
      help: {
        zh: "这个进程第一次处理某个对话时运行的[钩子](hooks.zh.md)",
        en: "[hooks](hooks.md) that run when the process takes up a conversation",
      },
      fileHelp: "Runs when the process takes up a conversation: matcher startup or resume.",
    }),
    UserPromptSubmit: defineSetting(({ hookGroups }) => hookGroups.optional(), {
      help: { zh: "在提问交给模型之前", en: "before a model gets a question" },
      fileHelp: "Runs before a model gets a question.",
    }),
    PreToolUse: defineSetting(({ hookGroups }) => hookGroups.optional(), {
      help: {
        zh: "在工具调用之前：放行、询问、拒绝或修改参数",
        en: "before a tool call: may allow, ask, refuse or change its arguments",
      },
      fileHelp: "Runs before a tool call, and may allow it, ask, refuse it or change its arguments.",
    }),
    PostToolUse: defineSetting(({ hookGroups }) => hookGroups.optional(), {
      help: { zh: "在工具调用成功之后", en: "after a tool call that succeeded" },
      fileHelp: "Runs after a tool call that succeeded.",
    }),
    PostToolUseFailure: defineSetting(({ hookGroups }) => hookGroups.optional(), {
      help: { zh: "在工具调用失败之后", en: "after a tool call that failed" },
      fileHelp: "Runs after a tool call that failed.",
    }),
    Stop: defineSetting(({ hookGroups }) => hookGroups.optional(), {
      help: { zh: "在运行给出回答之后", en: "after a run has answered" },
      fileHelp: "Runs after a run has answered.",
    }),
    StopFailure: defineSetting(({ hookGroups }) => hookGroups.optional(), {
      help: { zh: "在运行失败之后", en: "after a run that failed" },
      fileHelp: "Runs after a run that failed.",
    }),
    ...ignoreEvents(),
  },
  { fileHelp: "Hooks: commands and modules that run at these events, as Claude Code nests them." },
);

type OtherEvent = (typeof otherEvents)[number];

function ignoreEvents(): Record<OtherEvent, Setting<ZodOptional<ZodUnknown>>> {
  const row = defineSetting(({ z }) => z.unknown().optional(), {
    fileHelp: "An event of Claude Code at which Duet runs nothing; ignored.",
  });
  // The type is that of the list.
  return Object.fromEntries(otherEvents.map((event) => [event, row])) as Record<OtherEvent, typeof row>;
}
