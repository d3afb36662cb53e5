import type { RememberedApproval } from "../../../app/conversations/remember-approvals.ts";
import type { Duet } from "../../../app/duet.ts";
import { createSavedRules, renderSavedRule, type SavedRule } from "../../../app/questions/saved-rules.ts";
import { say, type Text } from "../../../kit/locale.ts";
import { sanitizeLine, toShortLine } from "../../../kit/text/sanitize.ts";
import { showLookAlikes } from "../../../render/questions/show-arguments.ts";
import { pickOne } from "../../questions/pick-one.ts";
import { createLine, type Line } from "../../terminal/text/line.ts";
import type { Chat } from "../chat.ts";
import { type ChatCommand, commandError, renderUsageLine } from "./chat-command.ts";

export const permissions: ChatCommand = {
  name: "/permissions",
  argument: "[revoke N]",
  help: {
    zh: "列出权限规则与你同意过的调用，可撤销",
    en: "lists the rules and what you have allowed, and revokes it",
  },
  async run(chat, argument, signal) {
    const grants = await listGrants(chat);
    const { locale } = chat.settings;
    const [, typed] = /^revoke\s+(\S+)$/i.exec(argument) ?? [];
    if (argument !== "" && typed === undefined) throw commandError(describeArgument(argument), toUsage());
    if (typed !== undefined) return revokeByNumber(chat, grants, typed);
    chat.write(...renderRules(chat), ...renderGrants(grants, chat));
    if (grants.length === 0 || chat.reader === undefined) return undefined;
    const title = say(locale, { zh: "要撤销哪一项？", en: "Which one to revoke?" });
    const choices = grants.map((grant, index) => ({ value: grant, label: `${index + 1}. ${grant.shown}`, detail: "" }));
    const grant = await pickOne(chat.reader, { title, choices }, signal);
    if (grant) await revoke(chat, grant);
    return undefined;
  },
};

/** Is something that a person has allowed or refused. */
interface Grant {
  place: "conversation" | "folder" | "elsewhere";
  shown: string;
  revoke(duet: Duet): Promise<void> | void;
}

async function listGrants({ duet, config, conversation, folder, settings: { locale } }: Chat): Promise<Grant[]> {
  const { id: conversationId } = conversation;
  const saved = createSavedRules(config.home, folder);
  const answers = conversationId === undefined ? [] : duet.approvals(conversationId);
  const ofConversation = answers.map((approval): Grant => {
    return {
      place: "conversation",
      shown: sanitizeLine(say(locale, describeApproval(approval))),
      revoke: (of) => of.revokeApproval(conversationId ?? "", approval),
    };
  });
  const toGrant = (rule: SavedRule): Grant => {
    const isHere = rule.folder === saved.folder;
    const place = isHere ? "" : ` · ${rule.folder}`;
    const shown = showLookAlikes(sanitizeLine(`${renderSavedRule(rule)} · ${rule.rule}${place}`));
    return { place: isHere ? "folder" : "elsewhere", shown, revoke: () => saved.remove(rule) };
  };
  const rules = (await saved.list()).map(toGrant);
  return [...ofConversation, ...rules.filter(isOfFolder), ...rules.filter((rule) => !isOfFolder(rule))];
}

function isOfFolder({ place }: Grant): boolean {
  return place === "folder";
}

function describeApproval({ answer, tool, rule }: RememberedApproval): Text {
  const { zh, en } = answer === "never" ? { zh: "不允许", en: "refused" } : { zh: "允许", en: "allowed" };
  return { zh: `${zh} ${tool} · ${rule}`, en: `${en} ${tool} · ${rule}` };
}

function renderRules({ config: { tools }, settings: { locale } }: Chat): (string | Line)[] {
  const list = (patterns: readonly string[] = []): string => sanitizeLine(patterns.join(", ")) || "–";
  return [
    createLine(say(locale, { zh: "规则（配置）", en: "Rules (configuration)" }), "heading"),
    `  tools.deny   ${list(tools.deny)}`,
    `  tools.allow  ${list(tools.allow)}`,
    `  tools.ask    ${list(tools.ask)}`,
  ];
}

function renderGrants(grants: readonly Grant[], { settings: { locale } }: Chat): (string | Line)[] {
  if (grants.length === 0) return [createLine(say(locale, nothing), "dim")];
  return grants.flatMap((grant, index) => {
    const isFirst = grants[index - 1]?.place !== grant.place;
    const line = `  ${index + 1}. ${grant.shown}`;
    return isFirst ? [createLine(say(locale, places[grant.place]), "heading"), line] : [line];
  });
}

async function revokeByNumber(chat: Chat, grants: readonly Grant[], typed: string): Promise<undefined> {
  const grant = /^\d{1,4}$/.test(typed) ? grants[Number(typed) - 1] : undefined;
  if (grant === undefined) throw commandError(describeNumber(typed), describeAllowed(grants.length));
  await revoke(chat, grant);
}

async function revoke({ duet, write, settings: { locale } }: Chat, grant: Grant): Promise<void> {
  await grant.revoke(duet);
  write(say(locale, { zh: `已撤销：${grant.shown}`, en: `Revoked: ${grant.shown}` }));
}

function toUsage(): Text {
  return { zh: renderUsageLine(permissions, "zh"), en: renderUsageLine(permissions, "en") };
}

function describeArgument(argument: string): Text {
  const shown = toShortLine(argument, 40);
  return { zh: `不认识 "${shown}"`, en: `Unknown argument "${shown}"` };
}

function describeNumber(typed: string): Text {
  const shown = toShortLine(typed, 40);
  return { zh: `没有第 "${shown}" 项`, en: `There is no entry "${shown}"` };
}

function describeAllowed(count: number): Text {
  if (count === 0) return nothing;
  return { zh: `可选：1 到 ${count}。`, en: `Allowed: 1 to ${count}.` };
}

const places: Record<Grant["place"], Text> = {
  conversation: { zh: "本次对话", en: "This conversation" },
  folder: { zh: "已保存，在这个文件夹中有效", en: "Saved, for this folder" },
  elsewhere: { zh: "已保存，在其他文件夹中有效", en: "Saved, for other folders" },
};

const nothing: Text = { zh: "还没有允许或拒绝过任何调用。", en: "Nothing has been allowed or refused so far." };
