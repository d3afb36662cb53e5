import { useState } from "preact/hooks";
import { sideTexts } from "../../state/chat-texts.ts";
import { operatorTexts } from "../../state/operator-texts.ts";
import { Dialog } from "../dialog.tsx";
import { Icon } from "../icon.tsx";
import { usePage, useSay } from "../page-model.ts";
import { Loaded } from "./loaded.tsx";
import { ProblemList } from "./problem-list.tsx";
import { RunList } from "./run-list.tsx";
import { ServerList } from "./server-list.tsx";
import { SettingList } from "./setting-list.tsx";
import { Usage } from "./usage.tsx";

const tabs = ["runs", "usage", "problems", "servers", "settings"] as const;

/** Shows what the server does for all its callers, and its settings. The server answers the operator alone, on its own machine. */
export function Operator() {
  const { operator, isOperating } = usePage();
  const say = useSay();
  const [tab, setTab] = useState<(typeof tabs)[number]>("runs");
  const close = (): void => {
    isOperating.value = false;
  };
  return (
    <Dialog class="operator" label={say(operatorTexts.title)} onClose={close}>
      <header>
        <h2>{say(operatorTexts.title)}</h2>
        <button type="button" class="plain" aria-label={say(sideTexts.dismiss)} onClick={close}>
          <Icon name="close" />
        </button>
      </header>
      <nav class="tabs" aria-label={say(operatorTexts.title)}>
        {tabs.map((each) => (
          <button
            key={each}
            type="button"
            aria-current={each === tab ? "true" : undefined}
            onClick={() => setTab(each)}
          >
            {say(operatorTexts[each])}
          </button>
        ))}
      </nav>
      <div class="operator-body" key={tab}>
        {tab === "runs" && <Loaded load={operator.runs}>{(read) => <RunList runs={read.runs} />}</Loaded>}
        {tab === "usage" && <Usage />}
        {tab === "problems" && <Loaded load={operator.problems}>{(read) => <ProblemList {...read} />}</Loaded>}
        {tab === "servers" && (
          <Loaded load={operator.servers}>{(read) => <ServerList servers={read.servers} />}</Loaded>
        )}
        {tab === "settings" && <Loaded load={operator.settings}>{(read) => <SettingList first={read} />}</Loaded>}
      </div>
    </Dialog>
  );
}
