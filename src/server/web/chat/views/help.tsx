import type { Text } from "../../../../kit/locale.ts";
import { sideTexts } from "../state/chat-texts.ts";
import { Dialog } from "./controls/dialog.tsx";
import { Icon } from "./controls/icon.tsx";
import { usePage, useSay } from "./page-model.ts";

/** Lists the keys of the page. */
export function Help() {
  const { help } = usePage();
  const say = useSay();
  const close = (): void => {
    help.value = false;
  };
  return (
    <Dialog class="help" label={say(sideTexts.help)} onClose={close}>
      <header>
        <h2>{say(sideTexts.help)}</h2>
        <button type="button" class="plain" aria-label={say(sideTexts.dismiss)} onClick={close}>
          <Icon name="close" />
        </button>
      </header>
      <dl class="keys">
        {keys.map(({ press, does }) => (
          <div key={press}>
            <dt>
              {press.split(" ").map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{say(does)}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

const keys: readonly { readonly press: string; readonly does: Text }[] = [
  {
    press: "Enter",
    does: {
      zh: "发送；运行时立即转达，在 Chat 模式下或已在写回答时排队",
      en: "Send; during a run, tell it now; in Chat mode, or once it writes its answer, queue it",
    },
  },
  { press: "Shift Enter", does: { zh: "换行", en: "New line" } },
  {
    press: "Alt Enter",
    does: { zh: "运行时排队，等它结束再问", en: "During a run, queue it: it is asked when the run has ended" },
  },
  { press: "Esc", does: { zh: "关闭打开的部分，或停止运行", en: "Close what is open, or stop the run" } },
  { press: "↑", does: { zh: "在空白输入框里取回上一个问题", en: "In the empty field: the last question again" } },
  { press: "Ctrl Shift O", does: { zh: "新对话", en: "New conversation" } },
  { press: "Ctrl K", does: { zh: "搜索对话", en: "Search conversations" } },
  { press: "Ctrl Shift S", does: { zh: "收起或展开对话列表", en: "Fold or unfold the conversations" } },
  { press: "Ctrl /", does: { zh: "显示这些快捷键", en: "Show these keys" } },
];
