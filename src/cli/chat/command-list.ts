import { answerModel } from "./commands/answer-model.ts";
import type { ChatCommand, CommandGroup } from "./commands/chat-command.ts";
import { clear } from "./commands/clear.ts";
import { compact } from "./commands/compact.ts";
import { config } from "./commands/config.ts";
import { conversations } from "./commands/conversations.ts";
import { cost } from "./commands/cost.ts";
import { doctor } from "./commands/doctor.ts";
import { exit } from "./commands/exit.ts";
import { expand } from "./commands/expand.ts";
import { fold } from "./commands/fold.ts";
import { createHelp } from "./commands/help.ts";
import { lang } from "./commands/lang.ts";
import { mode } from "./commands/mode.ts";
import { model } from "./commands/model.ts";
import { plan } from "./commands/plan.ts";
import { resume } from "./commands/resume.ts";
import { save } from "./commands/save.ts";
import { search } from "./commands/search.ts";
import { set } from "./commands/set.ts";
import { tools } from "./commands/tools.ts";
import { trace } from "./commands/trace.ts";

/** Lists the groups in the order in which help shows them. */
export const commandGroups: readonly CommandGroup[] = [
  {
    title: { zh: "模式与模型", en: "Mode and models" },
    commands: [mode, model, answerModel, set, search, config, lang],
  },
  { title: { zh: "提问与过程", en: "Questions and steps" }, commands: [plan, tools, expand, fold, trace, cost] },
  { title: { zh: "对话", en: "Conversation" }, commands: [clear, compact, resume, conversations, save] },
  {
    title: { zh: "其他", en: "Other" },
    commands: [createHelp(() => commandGroups), doctor, exit],
  },
];

export const chatCommands: readonly ChatCommand[] = commandGroups.flatMap(({ commands }) => commands);
