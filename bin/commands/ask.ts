import type { AskRequest } from "../../src/app/ask/ask-request.ts";
import { type Console, writeLine } from "../../src/cli/console.ts";
import { findChosenConversation } from "../../src/cli/conversations/chosen-conversation.ts";
import { type DuetContext, withDuet } from "../../src/cli/with-duet.ts";
import type { Config } from "../../src/config/config.ts";
import type { AnswerForm } from "../../src/core/answer-form.ts";
import type { FolderInstructions } from "../../src/core/folder-instructions.ts";
import { DuetError } from "../../src/kit/errors.ts";
import type { Locale } from "../../src/kit/locale.ts";
import { askOptions } from "../options.ts";
import {
  readAgent,
  readConversationChoice,
  readLimits,
  readMode,
  toFlags,
  toOptionText,
  toTexts,
  type Values,
} from "../read-options.ts";
import { type Action, type CommandRow, createOutputOption } from "./command.ts";

export const askCommand: CommandRow = {
  name: "ask",
  help: {
    zh: "提一个问题；回答写到标准输出，其余写到标准错误（- 或管道：从标准输入读取问题）",
    en: "one question; the answer on stdout, everything else on stderr (- or a pipe: the question from stdin)",
  },
  positionals: [{ name: "question" }],
  options: {
    ...askOptions,
    schema: {
      type: "string",
      describe: {
        zh: "含 JSON Schema 的文件：回答是符合它的 JSON",
        en: "a file with a JSON Schema: the answer is JSON that matches it",
      },
      completes: "file",
    },
    input: {
      type: "string",
      describe: {
        zh: "jsonl：标准输入每行一个问题，逐行给出结果",
        en: "jsonl: a question on each line of stdin, a result on each line of stdout",
      },
      choices: ["jsonl"],
    },
    output: createOutputOption("text", "json", "jsonl"),
    drafts: {
      type: "boolean",
      describe: {
        zh: "与 --output jsonl 一起：也给出可能只是思考的文字",
        en: "with --output jsonl: also text that may still turn out to be a thought",
      },
    },
  },
  run: ask,
};

/** Reads the files of `--file`. Throws a `config` error for one that cannot be attached: nobody is there to go on without it. */
async function withNamedFiles(
  question: string,
  files: readonly string[],
  opened: Pick<DuetContext, "config" | "console" | "signal">,
): Promise<Pick<AskRequest, "question" | "attachments">> {
  const [{ attachCommandFiles }, { getProgramPaths }] = await Promise.all([
    import("../../src/cli/files/attach-command-files.ts"),
    import("../../src/config/load-config.ts"),
  ]);
  const { home, directory: cwd } = getProgramPaths();
  return attachCommandFiles(question, files, { ...opened, cwd, home });
}

/** Answers one question. */
function ask(values: Values): Action {
  const choice = readConversationChoice(values);
  const flags = toFlags(values);
  return async (context) => {
    if (context.console.stderr.isTTY) {
      const { writeFirstConfig } = await import("../../src/cli/first-start/first-config.ts");
      const line = await writeFirstConfig(flags);
      if (line !== undefined) writeLine(context.console, line);
    }
    if (values.drafts === true && values.output !== "jsonl") throw draftsWithoutLinesError();
    const asksLines = values.input === "jsonl";
    if (asksLines) refuseBesideLines(values);
    // A schema that cannot be used is said before anything is opened.
    const answerForm = await readSchemaFile(toOptionText(values.schema));
    return withDuet(flags, context, async (opened) => {
      const { duet, config, console, signal } = opened;
      const [{ readQuestion, runAsk }, { canShowHyperlinks }, { createFolderConsent }, terminalAnswer] =
        await Promise.all([
          import("../../src/cli/ask.ts"),
          import("../../src/cli/terminal/text/hyperlink.ts"),
          import("../../src/app/questions/folder-consent.ts"),
          console.stdout.isTTY ? import("../../src/cli/terminal-answer.ts") : undefined,
        ]);
      if (asksLines) {
        const { answerLines } = await import("../../src/cli/question-lines.ts");
        const conversationId = await findChosenConversation(choice, { duet, config });
        const folderInstructions = await readInstructions(opened, duet.locale);
        const same = { conversationId, folder: process.cwd(), folderInstructions, mode: readMode(values), answerForm };
        const agent = readAgent(values, duet)?.name;
        return answerLines({ duet, console, signal, request: { ...same, agent, limits: readLimits(values) } });
      }
      const files = toTexts(values.files);
      const given = toOptionText(values.question);
      const question = files.includes("-") ? (given?.trim() ?? "") : await readQuestion(given, console);
      if (question === "" || question === "-") throw missingQuestionError();
      const asked =
        files.length === 0 ? { question } : await withNamedFiles(question, files, { config, console, signal });
      const { output } = values;
      const conversationId = await findChosenConversation(choice, { duet, config });
      const folderInstructions = await readInstructions(opened, duet.localeFor(question));
      const wantsColours = values["no-color"] !== true;
      const hyperlinks = canShowHyperlinks(console.stdout, config.environment, wantsColours);
      return runAsk({
        duet,
        console,
        request: {
          ...asked,
          ...{
            conversationId,
            folder: process.cwd(),
            folderInstructions,
            mode: readMode(values),
            agent: readAgent(values, duet)?.name,
            limits: readLimits(values),
            answerForm,
            signal,
          },
        },
        output: output === "json" || output === "jsonl" ? output : "text",
        drafts: output === "jsonl" ? values.drafts === true : canShowLiveLine(console, config),
        verbose: config.agent.verbose,
        hyperlinks,
        openAnswer: (locale, echo) =>
          terminalAnswer?.openTerminalAnswer(console, config, { wantsColours, hyperlinks, locale, echo }),
        consent: createFolderConsent(config, process.cwd()),
      });
    });
  };
}

async function readInstructions({ config, console }: DuetContext, locale: Locale): Promise<FolderInstructions[]> {
  const { readTrustedInstructions } = await import("../../src/cli/instructions/folder-instructions.ts");
  return readTrustedInstructions({ config, locale, write: (line) => writeLine(console, line) });
}

/** Throws a `config` error where the questions have another place, or the results another form. */
function refuseBesideLines(values: Values): void {
  const { question, output } = values;
  if (question === undefined && output === undefined && toTexts(values.files).length === 0) return;
  throw new DuetError({
    code: "config",
    text: {
      zh: "--input jsonl 从标准输入读取问题，逐行给出结果（不能同时写问题、--file 或 --output）",
      en: "--input jsonl reads the questions from stdin and writes a result on each line (not with a question, --file or --output)",
    },
  });
}

async function readSchemaFile(file: string | undefined): Promise<AnswerForm | undefined> {
  if (file === undefined) return undefined;
  const { openSchemaFile } = await import("../../src/cli/schema-file.ts");
  return openSchemaFile(file);
}

/** Text that can be taken back is shown where the cursor can move. */
function canShowLiveLine({ stderr }: Console, { environment, terminal }: Config): boolean {
  return stderr.isTTY === true && environment.TERM !== "dumb" && !terminal.screenReader;
}

function draftsWithoutLinesError(): DuetError {
  return new DuetError({
    code: "config",
    text: {
      zh: "--drafts 只用于 --output jsonl（允许：--output jsonl --drafts）",
      en: "--drafts is for --output jsonl alone (allowed: --output jsonl --drafts)",
    },
  });
}

function missingQuestionError(): DuetError {
  return new DuetError({
    code: "config",
    text: {
      zh: '没有给出问题（允许：duet ask "问题"，或从标准输入给出）',
      en: 'no question given (allowed: duet ask "question", or the question on stdin)',
    },
  });
}
