/** Where the tabs that people chose are kept, such as "Vue". */
const KEY = 'tabs';
/** How many are kept. */
const MAX_TABS = 20;

const readChosen = (): readonly string[] => {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '[]') as readonly string[];
  } catch {
    return [];
  }
};

/** Remembers each tab of code that is chosen, on every page. */
export function rememberTabs(): void {
  addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLInputElement) || !target.matches('.vp-code-group .tabs input')) return;
    const { textContent: name } = target.nextElementSibling!;
    const chosen = [name!, ...readChosen().filter(other => other !== name)].slice(0, MAX_TABS);
    localStorage.setItem(KEY, JSON.stringify(chosen));
    showRemembered();
  });
}

/** Shows in each group of tabs the one that was chosen last, of those that it has. */
export function showRemembered(): void {
  const chosen = readChosen();
  for (const group of document.querySelectorAll('.vp-code-group')) {
    const labels = [...group.querySelectorAll('.tabs label')];
    const name = chosen.find(tab => labels.some(({ textContent }) => textContent === tab));
    const label = labels.find(({ textContent }) => textContent === name);
    const input = label?.previousElementSibling;
    if (input instanceof HTMLInputElement && !input.checked) input.click();
  }
}
