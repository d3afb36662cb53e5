import { execFileSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readGitBranch } from "../../../../src/cli/chat/status/git-branch.ts";
import { createSessionBill } from "../../../../src/cli/chat/status/session-bill.ts";
import { createStatusLine, type StatusLineOptions } from "../../../../src/cli/chat/status/status-line.ts";
import { countCells } from "../../../../src/cli/terminal/text/width.ts";
import { statusParts } from "../../../../src/core/status-parts.ts";
import { scriptedModel } from "../../../fakes/model.ts";
import { temporaryFolder } from "../../../fakes/program.ts";
import { openTestChat } from "../commands/test-chat.ts";

test("the status line tells what fits, the most important first, at any width and with wide characters", async () => {
  const model = { ...scriptedModel([{ text: "好。", tokens: 12_000 }]), contextWindow: 20_000 };
  const chat = await openTestChat({ parts: { models: { functionCall: model, alone: true } }, mode: "chat" });
  await chat.ask("你好？", "chat");
  const folder = join(chat.folder, "文档", "项目");
  await mkdir(join(folder, ".git"), { recursive: true });
  await writeFile(join(folder, ".git/HEAD"), "ref: refs/heads/功能/状态行\n");
  const { duet, bill, settings, conversation } = chat;
  const { id: conversationId = "" } = conversation;
  settings.locale = "zh";
  function open(parts: StatusLineOptions["parts"], onChange = () => {}) {
    return createStatusLine({
      ...{ duet, catalog: duet.models, parts, bill, folder, home: chat.folder, onChange },
      current: () => ({ settings, models: "提供商/模型" }),
      next: () => ({ conversationId, mode: settings.mode, locale: "zh" }),
    });
  }
  const line = await new Promise<ReturnType<typeof open>>((done) => {
    const opened = open([...statusParts], () => {
      if (
        /⎇/.test(opened.render({ canStop: false, columns: 200 })) &&
        opened.listFacts().some(({ name }) => name.en === "Context")
      )
        done(opened);
    });
    opened.refresh();
  });
  expect(line.render({ canStop: false, columns: 200 })).toMatch(
    /^Chat 模式 · 提供商\/模型 · 上下文 \d+ % · 24\.0k tok · ~\/文档\/项目 · ⎇ 功能\/状态行 · 联网搜索：关 · \/help$/,
  );
  line.handle({ type: "tool-start", callId: "c", step: 1, tool: "files__read", arguments: {} });
  for (const columns of [40, 30, 20, 12, 100])
    expect(countCells(line.render({ canStop: true, columns })), String(columns)).toBeLessThanOrEqual(columns);
  expect(line.render({ canStop: true, columns: 40 })).toMatch(/^Esc 停止 · 🔧 files__read · 上下文 \d+ %$/);
  expect(open("off").render({ canStop: false, columns: 100 })).toBe("");
  expect(open(["cost", "mode"]).render({ canStop: true, columns: 100 })).toBe("Esc 停止 · Chat 模式");
});

function openStatus() {
  const bill = createSessionBill();
  const line = createStatusLine({
    ...{ bill, folder: "/", home: "/", parts: ["tokens", "cost"], onChange() {}, next: () => undefined },
    // Neither is asked while nothing is refreshed.
    duet: { measureContext: () => Promise.reject(new Error()) },
    catalog: { open: () => Promise.reject(new Error()) },
    current: () => ({
      settings: { locale: "en", mode: "chat", search: { on: false, isBarred: false }, models: {}, limits: {} },
      models: "",
    }),
  });
  const usage = { inputTokens: 1200, outputTokens: 34, reasoningTokens: 0, cachedTokens: 0 };
  return {
    endTurn: (costUsd: number | null) =>
      line.handle({ type: "phase-end", phase: "answer", step: 1, model: "a/b", usage, elapsedMs: 1, costUsd }),
    render: () => line.render({ canStop: false, columns: 80 }),
    find: (wanted: string) => line.listFacts().find(({ name }) => name.en === wanted)?.value,
  };
}

test("while a run works, its turns count, and at its end they are in the bill alone", () => {
  const { endTurn, render, find } = openStatus();
  endTurn(0.5);
  expect(render()).toBe("1.2k tok · $0.5000");
  endTurn(null);
  expect([render(), find("Cost of this chat")]).toEqual([
    "2.5k tok · ≥ $0.5000",
    "at least $0.5000 (some prices are not known)",
  ]);
});

test("/status tells a cost of which nothing is known as unknown, and names no part twice", () => {
  const { endTurn, render, find } = openStatus();
  endTurn(null);
  expect(render()).toBe("1.2k tok");
  expect(find("Cost of this chat")).toBe("unknown (the prices of its models are not known)");
  expect(find("Web search")).toBe("off");
});

test("the branch of Git is read in a work tree, a further one, and where no branch is checked out", async () => {
  const folder = await temporaryFolder();
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], {
      cwd: folder,
      stdio: "pipe",
    }).toString();
  git("init", "-q", "-b", "feature/one");
  git("commit", "-q", "--allow-empty", "-m", "x");
  git("worktree", "add", "-q", "-b", "two", "further");
  // A folder of that name that is no repository is passed over.
  await mkdir(join(folder, "below/.git"), { recursive: true });
  expect(await readGitBranch(join(folder, "below"))).toBe("feature/one");
  expect(await readGitBranch(join(folder, "further"))).toBe("two");
  git("checkout", "-q", "--detach");
  expect(await readGitBranch(folder)).toBe(git("rev-parse", "HEAD").slice(0, 7));
  expect(await readGitBranch("/proc")).toBeUndefined();
});
