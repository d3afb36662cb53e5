import { agent } from "./commands/agents.ts";
import { fork, rewind } from "./commands/branches.ts";
import type { ChatCommand, CommandGroup } from "./commands/chat-command.ts";
import { context } from "./commands/context.ts";
import { clear, compact, continueRun, conversations, keep, rename } from "./commands/conversations.ts";
import { edit } from "./commands/edit.ts";
import { exportConversation } from "./commands/export.ts";
import { createHelp, exit } from "./commands/help.ts";
import { answerModel, model } from "./commands/models.ts";
import { mode, search } from "./commands/modes.ts";
import { permissions } from "./commands/permissions.ts";
import { resume } from "./commands/resume.ts";
import { config, lang, set } from "./commands/settings.ts";
import { skills } from "./commands/skills.ts";
import { status } from "./commands/status.ts";
import { cost, expand, fold, plan, trace } from "./commands/steps.ts";
import { doctor, tools } from "./commands/tools.ts";

/** Lists the groups in the order in which help shows them. */
export const commandGroups: readonly CommandGroup[] = [
  {
    title: { zh: "模式与模型", en: "Mode and models" },
    commands: [mode, agent, model, answerModel, set, search, config, lang],
  },
  {
    title: { zh: "提问与过程", en: "Questions and steps" },
    commands: [plan, edit, tools, skills, permissions, context, expand, fold, trace, cost, status],
  },
  {
    title: { zh: "对话", en: "Conversation" },
    commands: [clear, keep, compact, rewind, fork, resume, continueRun, conversations, rename, exportConversation],
  },
  {
    title: { zh: "其他", en: "Other" },
    commands: [createHelp(() => commandGroups), doctor, exit],
  },
];

export const chatCommands: readonly ChatCommand[] = commandGroups.flatMap(({ commands }) => commands);
