// Small helpers for elements. Texts go in as text, never as markup.

type Attributes = Readonly<Record<string, string | number | boolean>>;
type Child = Node | string;

export function element<K extends keyof HTMLElementTagNameMap>(
    tag: K,
    attributes: Attributes = {},
    ...children: Child[]
): HTMLElementTagNameMap[K] {
    const e = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes)) {
        if (value === false) continue;
        e.setAttribute(key, value === true ? '' : String(value));
    }
    e.append(...children);
    return e;
}

export function button(
    text: string,
    action: () => void,
    attributes: Attributes = {},
): HTMLButtonElement {
    const b = element('button', { type: 'button', ...attributes }, text);
    b.addEventListener('click', action);
    return b;
}

/** A button that stays pressed. */
export function toggle(
    text: string,
    title: string,
    change: (on: boolean) => void,
    on = false,
): HTMLButtonElement {
    const b = element(
        'button',
        { type: 'button', class: 'toggle', title, 'aria-pressed': on },
        text,
    );
    b.setAttribute('aria-pressed', String(on));
    b.addEventListener('click', () => {
        const now = b.getAttribute('aria-pressed') !== 'true';
        b.setAttribute('aria-pressed', String(now));
        change(now);
    });
    return b;
}

/** A number for people: significant digits, a true minus sign, powers of ten written as such. */
export function shown(value: number, digits = 4): string {
    if (!Number.isFinite(value)) return '–';
    if (value === 0) return '0';
    const size = Math.abs(value);
    if (size < 1e6 && size >= 1e-4)
        return String(Number(value.toPrecision(digits))).replace('-', '−');
    const [mantissa = '', exponent = '0'] = value.toExponential(digits - 1).split('e');
    const raised = [...String(Number(exponent))]
        .map((c) => (c === '-' ? '⁻' : ('⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(c)] ?? '')))
        .join('');
    return `${String(Number(mantissa)).replace('-', '−')}×10${raised}`;
}

/** A colour of the page's style. */
export function styleColour(name: string): string {
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim() || '#888888';
}

const dark = matchMedia('(prefers-color-scheme: dark)');

export function onTheme(change: () => void): void {
    dark.addEventListener('change', change);
}

export function prefersStillness(): boolean {
    return matchMedia('(prefers-reduced-motion: reduce)').matches;
}

export function download(blob: Blob, name: string): void {
    const link = element('a', { href: URL.createObjectURL(blob), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
