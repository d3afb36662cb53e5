import type { Config } from "../../config/config.ts";
import { resolveModel } from "../../config/models/resolve-model.ts";
import { createVendorTable, type VendorSpec } from "../../config/models/vendor-table.ts";
import { isHttpAddress } from "../../config/schema/address-schemas.ts";
import type { ModelSettings, Vendor } from "../../core/model/model-settings.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import { isSecureAddress } from "../../kit/net/secure-address.ts";
import { findVendorPages } from "../../providers/errors/error-hints.ts";
import type { ProviderChoice } from "./list-providers.ts";
import type { TypedDialog } from "./typed-dialog.ts";
import { readTypedKey, type TypedKey } from "./typed-key.ts";
import type { FirstSettings } from "./write-config.ts";

/** Holds a model that was chosen and is not written yet. */
export interface DraftModel {
  provider: string;
  model: string;
  /** Holds what the configuration has to say of the provider. */
  own: VendorSpec;
  key?: { variable: string; value: string };
}

/** Holds what every question needs. */
export interface DraftContext {
  config: Config;
  locale: Locale;
  dialog: TypedDialog;
}

/** Asks for what the provider lacks: an address of one's own, the key, the model. */
export async function createDraft(choice: ProviderChoice, context: DraftContext): Promise<DraftModel> {
  if (choice.kind === "own") return createOwnDraft(context);
  const { config, locale, dialog } = context;
  const vendor = config.providers[choice.name];
  const draft: DraftModel = { provider: choice.name, model: choice.model ?? vendor?.defaultModel ?? "", own: {} };
  if (draft.model === "") return askModel(draft, context);
  if (vendor?.keyEnv === undefined) return draft;
  if (choice.keyEnv === undefined) return askKey(draft, context);
  dialog.write(say(locale, describeUsedVariable(choice.keyEnv)));
  return draft;
}

/** Asks for the key of a draft, until it is one. */
export async function askKey(draft: DraftModel, context: DraftContext): Promise<DraftModel> {
  const { config, locale, dialog } = context;
  const vendor = config.providers[draft.provider];
  const page = findVendorPages(vendor?.baseUrl ?? "")?.keys;
  dialog.write(say(locale, describeKeyQuestion(draft.provider, page)));
  for (;;) {
    const typed = readTypedKey(await dialog.askSecret(say(locale, keyQuery)), config.environment);
    if (!("problem" in typed)) return withKey(draft, typed, vendor, config);
    dialog.write(say(locale, describeProblem(typed.problem)));
  }
}

/** A variable that is set has precedence over the file, so that another key for it needs a name of its own. */
function withKey(
  draft: DraftModel,
  typed: Exclude<TypedKey, { problem: Text }>,
  vendor: Vendor | undefined,
  { environment }: Config,
): DraftModel {
  const { provider, model } = draft;
  const { apiKeyEnv: _, ...own } = draft.own;
  const usual = vendor?.keyEnv;
  if ("variable" in typed) {
    return { provider, model, own: typed.variable === usual ? own : { ...own, apiKeyEnv: typed.variable } };
  }
  const ownName = `DUET_${provider.toUpperCase().replace(/[^A-Z0-9]/g, "_")}_KEY`;
  const variable = usual !== undefined && !environment[usual]?.trim() ? usual : ownName;
  const key = { variable, value: typed.key };
  return { provider, model, own: variable === usual ? own : { ...own, apiKeyEnv: variable }, key };
}

/** Asks for another model, with the names that the provider offers where it says them. */
export async function askModel(draft: DraftModel, context: DraftContext): Promise<DraftModel> {
  const { locale, dialog } = context;
  const offered = await findOffered(draft, context);
  for (const [index, name] of offered.slice(0, mostListed).entries()) {
    dialog.write(`  ${String(index + 1).padStart(2)}  ${name}`);
  }
  const first = draft.model || offered[0] || "";
  for (;;) {
    const typed = (await dialog.ask(say(locale, describeModelQuery(first)))) || first;
    const model = /^\d{1,2}$/.test(typed) ? offered[Number(typed) - 1] : typed;
    if (model !== undefined && model !== "" && !/\s/.test(model)) return { ...draft, model };
  }
}

const mostListed = 15;

/** Limits how long a list of models is waited for, in milliseconds. */
const listMs = 5000;

async function findOffered(draft: DraftModel, { config, dialog }: DraftContext): Promise<string[]> {
  const { listOfferedModels } = await import("../../providers/offered-models.ts");
  const address = resolveDraft({ ...draft, model: draft.model || "models" }, config);
  try {
    return await listOfferedModels(address, { ms: listMs, signal: dialog.signal });
  } catch {
    dialog.signal.throwIfAborted();
    return [];
  }
}

/** Throws a `config` error where the configuration would refuse the model. */
export function resolveDraft({ provider, model, own, key }: DraftModel, config: Config): ModelSettings {
  const table = { ...config.providers, ...pickOwn(provider, own, config) };
  const environment = { ...config.environment, ...(key && { [key.variable]: key.value }) };
  return resolveModel({ provider, model }, table, environment, provider);
}

function pickOwn(provider: string, own: VendorSpec, { network }: Pick<Config, "network">): Record<string, Vendor> {
  if (Object.keys(own).length === 0) return {};
  const vendor = createVendorTable({ [provider]: own }, { network })[provider];
  return vendor === undefined ? {} : { [provider]: vendor };
}

export function toSettings({ provider, model, own, key }: DraftModel): FirstSettings {
  const providers = Object.keys(own).length === 0 ? {} : { providers: { [provider]: own } };
  return { model: `${provider}/${model}`, ...providers, ...(key && { key }) };
}

async function createOwnDraft(context: DraftContext): Promise<DraftModel> {
  const { config, locale, dialog } = context;
  const baseUrl = await askAddress(locale, dialog);
  const url = new URL(baseUrl);
  const isHere = url.protocol === "http:" && isSecureAddress(url);
  const provider = isHere ? "local" : url.hostname.replace(/[^A-Za-z0-9_.-]/g, "").slice(0, 40);
  const draft: DraftModel = { provider, model: "", own: { baseUrl } };
  for (;;) {
    const typed = await dialog.askSecret(say(locale, ownKeyQuery));
    if (typed === "") return askModel(draft, context);
    const read = readTypedKey(typed, config.environment);
    if (!("problem" in read)) return askModel(withKey(draft, read, undefined, config), context);
    dialog.write(say(locale, describeProblem(read.problem)));
  }
}

async function askAddress(locale: Locale, dialog: TypedDialog): Promise<string> {
  for (;;) {
    const typed = await dialog.ask(say(locale, addressQuery));
    // Most servers of this kind have their API below /v1, and most people copy the address without it.
    if (isHttpAddress(typed)) return new URL(typed).pathname === "/" ? `${typed.replace(/\/+$/, "")}/v1` : typed;
    dialog.write(say(locale, { zh: "需要 http 或 https 地址。", en: "Expected: an http or https address." }));
  }
}

const describeProblem = ({ zh, en }: Text): Text => ({
  zh: `${zh}。`,
  en: `${en.charAt(0).toUpperCase()}${en.slice(1)}.`,
});
const describeUsedVariable = (name: string): Text => ({
  zh: `使用环境变量 ${name} 中的密钥。`,
  en: `The key in the variable ${name} is used.`,
});
const describeKeyQuestion = (provider: string, page: string | undefined): Text => ({
  zh: `${provider} 的密钥${page === undefined ? "" : `（在 ${page} 获取）`}；也可以输入存放它的环境变量名。`,
  en: `The key for ${provider}${page === undefined ? "" : ` (from ${page})`}; or the name of a variable that holds it.`,
});
const keyQuery: Text = { zh: "密钥（不显示）：", en: "Key (not shown): " };
const ownKeyQuery: Text = { zh: "密钥（不显示；回车：不需要）：", en: "Key (not shown; Enter: it needs none): " };
const addressQuery: Text = {
  zh: "地址，如 http://127.0.0.1:8000/v1：",
  en: "Address, such as http://127.0.0.1:8000/v1: ",
};
const describeModelQuery = (first: string): Text =>
  first === ""
    ? { zh: "模型名：", en: "Model: " }
    : { zh: `模型（回车：${first}）：`, en: `Model (Enter: ${first}): ` };
