import type { Text } from "../../../../kit/locale.ts";
import { sanitizeLine } from "../../../../kit/text/sanitize.ts";
import type { AttachmentLimits } from "../api/server-settings.ts";

/** Holds the texts of what can be done with questions and answers. */
export const turnTexts = {
  edit: { zh: "修改问题", en: "Edit the question" },
  resend: { zh: "重新发送", en: "Send" },
  cancel: { zh: "取消", en: "Cancel" },
  copyQuestion: { zh: "复制问题", en: "Copy the question" },
  copyAs: { zh: "复制为…", en: "Copy as…" },
  copyMarkdown: { zh: "复制为 Markdown", en: "Copy as Markdown" },
  copyPlain: { zh: "复制为纯文本", en: "Copy as plain text" },
  copyCode: { zh: "只复制代码", en: "Copy the code only" },
  regenerate: { zh: "重新回答", en: "Answer again" },
  up: { zh: "回答得好", en: "Good answer" },
  down: { zh: "回答得不好", en: "Bad answer" },
  comment: { zh: "说说为什么（可选）", en: "Say why, if you like" },
  sendComment: { zh: "提交", en: "Send" },
  commented: { zh: "谢谢，已记下。", en: "Thank you, noted." },
  before: { zh: "上一个版本", en: "The version before" },
  after: { zh: "下一个版本", en: "The next version" },
  answers: { zh: "这个问题的其他回答", en: "Other answers to this question" },
  edits: { zh: "这个问题的其他写法", en: "Other wordings of this question" },
  review: { zh: "这次调用要做的改动", en: "What this call would change" },
  added: { zh: "新增", en: "added:" },
  removed: { zh: "删除", en: "removed:" },
  showWhole: { zh: "显示全部", en: "Show all of it" },
  attach: { zh: "添加文件", en: "Attach files" },
  detach: { zh: "移除", en: "Remove" },
  drop: { zh: "松开鼠标，添加这些文件", en: "Drop the files to attach them" },
  steer: { zh: "立即转达", en: "Tell it now" },
  said: { zh: "你在运行期间说的话", en: "What you said while it ran" },
  notRead: { zh: "等待模型读取", en: "Not read yet" },
  queue: { zh: "排队，等它结束", en: "Queue it" },
  waiting: { zh: "排队中的问题", en: "Queued questions" },
  withdraw: { zh: "取回", en: "Take back" },
  tryQueued: { zh: "重试", en: "Try again" },
  unsent: { zh: "没有发送成功", en: "Not sent" },
  sendAgain: { zh: "重新发送", en: "Send again" },
  filesWantWords: {
    zh: "还要写一个问题：想用这些文件做什么？",
    en: "Write a question, too: what should be done with the files?",
  },
  filesStay: {
    zh: "Enter 只发送文字，文件留给下一个问题；点“排队”按钮（Alt+Enter）则连同文件一起排队。",
    en: "Enter sends the words alone and leaves the files for your next question; “Queue it” (Alt+Enter) queues both.",
  },
  filesNotKept: {
    zh: "浏览器没有保存文件（可能空间不足）：关闭或刷新网页后需要重新添加。",
    en: "This browser did not keep the files (it may be short of space): attach them again after a reload.",
  },
  notNow: {
    zh: "另一次运行正在进行：等它结束再发送。",
    en: "Another run is in progress: send this when it has ended.",
  },
} as const satisfies Record<string, Text>;

/** Names files behind a text. */
export function renderFileNames(files: readonly { readonly name: string }[]): string {
  return files.length === 0 ? "" : ` (${files.map(({ name }) => sanitizeLine(name)).join(", ")})`;
}

/** Says which files the page does not have, because they were sent from elsewhere or before a reload. */
export function describeLostFiles(files: readonly { readonly name: string }[]): Text {
  const names = files.map(({ name }) => sanitizeLine(name)).join(", ");
  return { zh: `请重新添加这些文件：${names}`, en: `Attach these files again: ${names}` };
}

/** Says of a bare yes or no that the run reads it no more, and how it is asked all the same. */
export function describeLateReply(reply: string): Text {
  return {
    zh: `“${reply}”没有发送：这次运行已不再读取消息。要作为下一个问题，请点“排队”按钮（Alt+Enter）。`,
    en: `“${reply}” was not sent: it came too late for this run. Press “Queue it” (Alt+Enter) to ask it as your next question.`,
  };
}

/** Says how much may be attached, before anything is sent. */
export function describeAttachmentLimits({ maxFiles, maxFileBytes, maxBytes }: AttachmentLimits): Text {
  const [each, all] = [maxFileBytes, maxBytes].map((bytes) => Math.floor(bytes / 1_000_000));
  return {
    zh: `图片、PDF、Word、Excel 或文本；最多 ${maxFiles} 个文件，每个 ${each} MB，共 ${all} MB`,
    en: `Images, PDF, Word, Excel or text; at most ${maxFiles} files of ${each} MB each, ${all} MB together`,
  };
}

export function describeTooManyFiles(count: number, allowed: number): Text {
  return { zh: `有 ${count} 个文件，最多 ${allowed} 个。`, en: `${count} files; at most ${allowed} are allowed.` };
}

/** Says which file is too large by itself. Both sizes are in bytes. */
export function describeTooLargeFile(name: string, bytes: number, allowed: number): Text {
  const shown = sanitizeLine(name);
  const [now, most] = [(bytes / 1_000_000).toFixed(1), Math.floor(allowed / 1_000_000)];
  return {
    zh: `${shown} 有 ${now} MB，每个文件最多 ${most} MB。`,
    en: `${shown} has ${now} MB; at most ${most} MB are allowed for one file.`,
  };
}

/** Says that files are too large together. Both sizes are in bytes. */
export function describeTooLargeFiles(bytes: number, allowed: number): Text {
  const [now, most] = [(bytes / 1_000_000).toFixed(1), Math.floor(allowed / 1_000_000)];
  return { zh: `文件共 ${now} MB，最多 ${most} MB。`, en: `The files have ${now} MB; at most ${most} MB are allowed.` };
}

export function describeEmptyFile(name: string): Text {
  const shown = sanitizeLine(name);
  return { zh: `${shown} 是空文件，请移除后再发送。`, en: `${shown} is empty; remove it before you send.` };
}

/** Says which files could not be read, if there are any. */
export function describeUnreadable(names: readonly string[]): Text | undefined {
  if (names.length === 0) return undefined;
  const shown = names.map(sanitizeLine);
  const list = shown.join(", ");
  return {
    zh: `无法读取，没有添加：${shown.join("、")}（文件夹不能添加；文件可能已被移走）`,
    en:
      names.length === 1
        ? `Could not be read and is not attached: ${list} (a folder, or a file that is gone)`
        : `Could not be read and are not attached: ${list} (folders, or files that are gone)`,
  };
}

/** Shows a size in bytes as people write it. */
export function renderSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
