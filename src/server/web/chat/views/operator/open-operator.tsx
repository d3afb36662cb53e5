import { useEffect, useRef, useState } from "preact/hooks";
import { sideTexts } from "../../state/chat-texts.ts";
import { operatorTexts } from "../../state/operator-texts.ts";
import { Dialog } from "../controls/dialog.tsx";
import { usePage, useSay } from "../page-model.ts";

/** Shows the operator's view as soon as its script is there. */
export function OpenOperator() {
  const page = usePage();
  const say = useSay();
  const place = useRef<HTMLDivElement>(null);
  const [state, setState] = useState<"loading" | "shown" | "failed">("loading");
  const close = (): void => {
    page.isOperating.value = false;
  };
  useEffect(() => {
    let isOpen = true;
    let unmount = (): void => {};
    page.loadOperator().then(
      ({ mount }) => {
        if (!isOpen || place.current === null) return;
        setState("shown");
        unmount = mount(place.current, page);
      },
      () => setState("failed"),
    );
    return () => {
      isOpen = false;
      unmount();
    };
  }, []);
  return (
    <>
      <div ref={place} />
      <p class="visually-hidden" role="status">
        {state === "loading" ? say(operatorTexts.loading) : ""}
      </p>
      {state === "failed" && (
        <Dialog label={say(operatorTexts.title)} onClose={close}>
          <p class="problem" role="alert">
            {say(operatorTexts.notLoaded)}
          </p>
          <button type="button" onClick={close}>
            {say(sideTexts.dismiss)}
          </button>
        </Dialog>
      )}
    </>
  );
}
