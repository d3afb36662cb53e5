import { useEffect, useState } from "preact/hooks";
import { renderDollars } from "../../../../render/known-cost.ts";
import type { OwnUsageFigures } from "../api/account.ts";
import { sideTexts } from "../state/chat-texts.ts";
import { usageTexts } from "../state/usage-texts.ts";
import { Dialog } from "./controls/dialog.tsx";
import { Icon } from "./controls/icon.tsx";
import { usePage, useSay } from "./page-model.ts";

/** Shows who is signed in, that person's limits, and what is used of them. */
export function OwnUsage() {
  const { chat, isShowingUsage, readUsage, describeError } = usePage();
  const say = useSay();
  const [read, setRead] = useState<OwnUsageFigures | string | undefined>(undefined);
  useEffect(() => {
    readUsage().then(setRead, (thrown: unknown) => setRead(describeError(thrown)));
  }, []);
  const close = (): void => {
    isShowingUsage.value = false;
  };
  const person = chat.value.account?.name;
  return (
    <Dialog class="own-usage" label={say(usageTexts.title)} onClose={close}>
      <header>
        <h2>{say(usageTexts.title)}</h2>
        <button type="button" class="plain" aria-label={say(sideTexts.dismiss)} onClick={close}>
          <Icon name="close" />
        </button>
      </header>
      {read === undefined && <p class="hint">{say(usageTexts.loading)}</p>}
      {typeof read === "string" && (
        <p class="problem" role="alert">
          {read}
        </p>
      )}
      {typeof read === "object" && <Figures read={read} person={person} />}
    </Dialog>
  );
}

function Figures({ read, person }: { readonly read: OwnUsageFigures; readonly person: string | undefined }) {
  const { locale } = usePage();
  const say = useSay();
  const reset = new Date(read.resets_at).toLocaleString(locale.value === "zh" ? "zh-CN" : "en", {
    dateStyle: "medium",
    timeStyle: "short",
  });
  return (
    <>
      <p>
        {say(usageTexts.signedIn)} {person ?? read.caller ?? say(usageTexts.operator)}
      </p>
      <dl class="figures">
        {rows.map(({ key, show }) => {
          const { used, limit = null } = read[key];
          return (
            <div key={key}>
              <dt>{say(usageTexts[key])}</dt>
              <dd>
                {show(used)} / {limit === null ? say(usageTexts.noLimit) : show(limit)}
                {limit !== null && (
                  <meter aria-label={say(usageTexts[key])} min={0} max={limit} high={0.8 * limit} value={used} />
                )}
              </dd>
            </div>
          );
        })}
      </dl>
      <p class="hint">
        {say(usageTexts.resets)} {reset}
      </p>
    </>
  );
}

const showCount = (count: number): string => count.toLocaleString("en");

const rows = [
  { key: "tokens_today", show: showCount },
  { key: "cost_usd_today", show: renderDollars },
  { key: "runs_now", show: showCount },
  { key: "runs_per_minute", show: showCount },
] as const;
