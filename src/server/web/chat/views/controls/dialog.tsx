import type { ComponentChildren } from "preact";
import { render } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

export interface DialogProps {
  readonly class?: string;
  readonly label: string;
  /** Runs when the person closes it by Escape. Without it, the dialog stays. */
  onClose?(): void;
  readonly children: ComponentChildren;
}

/** Shows its content over the page, which waits, for as long as it is in the tree. */
export function Dialog({ class: name, label, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const before = document.activeElement;
    const shown = dialog.current;
    shown?.showModal();
    return () => {
      // While it is open, nothing behind it takes the focus.
      shown?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class={name}
      aria-label={label}
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
    >
      {children}
    </dialog>
  );
}

export interface ConfirmProps {
  readonly text: string;
  readonly yes: string;
  readonly no: string;
  onAnswer(isYes: boolean): void;
}

/** Asks a person before something happens that cannot be taken back. The safe answer has the focus. */
export function ConfirmDialog({ text, yes, no, onAnswer }: ConfirmProps) {
  const safe = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => safe.current?.focus(), []);
  return (
    <Dialog class="confirm" label={text} onClose={() => onAnswer(false)}>
      <p>{text}</p>
      <div class="actions">
        <button type="button" class="danger" onClick={() => onAnswer(true)}>
          {yes}
        </button>
        <button type="button" ref={safe} onClick={() => onAnswer(false)}>
          {no}
        </button>
      </div>
    </Dialog>
  );
}

/** Asks before there is a page. */
export function confirmAlone(document: Document, words: Omit<ConfirmProps, "onAnswer">): Promise<boolean> {
  const place = document.createElement("div");
  document.body.append(place);
  return new Promise((resolve) => {
    const answer = (isYes: boolean): void => {
      render(null, place);
      place.remove();
      resolve(isYes);
    };
    render(<ConfirmDialog {...words} onAnswer={answer} />, place);
  });
}
