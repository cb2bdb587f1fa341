/**
 * A modal dialogue: the browser keeps the focus inside, and gives it back afterwards. The component that shows it closes it, after
 * Escape too, and at once: keys can follow before `close` comes.
 */
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

interface Props {
  title: string;
  onClose: () => void;
  wide?: boolean;
  children: ComponentChildren;
}

export function Dialog({ title, onClose, wide = false, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const element = dialog.current!;
    const before = document.activeElement;
    element.showModal();
    return () => {
      element.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  const cancel = (event: Event) => {
    event.preventDefault();
    onClose();
  };
  // At the third Escape the browser closes it without asking. The event `close` comes after the keys that follow Escape: by then the
  // dialogue may be gone, and another one open.
  const showAgain = () => {
    if (dialog.current === null) return;
    dialog.current.showModal();
    onClose();
  };
  return (
    <dialog ref={dialog} aria-labelledby={id} class={wide ? 'wide' : ''} onCancel={cancel} onClose={showAgain}>
      <header>
        <h2 id={id}>{title}</h2>
        <button type="button" class="quiet" aria-label="Close" onClick={onClose}>
          ✕
        </button>
      </header>
      <div class="dialog-body">{children}</div>
    </dialog>
  );
}
