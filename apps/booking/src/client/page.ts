/**
 * What the pages do better with a script: they find the visitor's time zone, change days and months
 * without loading again, and keep a form from being sent twice. Without it everything works the
 * same way through links and forms.
 */

import { currentZoneName, listTimeZones } from '@atrium/core/scheduling/time-zones'

const live = document.getElementById('live')
const main = () => document.getElementById('main') as HTMLElement

function start(): void {
  if (window.parent !== window) standInFrame()
  document.addEventListener('click', (event) => {
    const target = event.target as Element
    keepChoice(target.closest<HTMLAnchorElement>('a[data-language]'))
    const link = target.closest<HTMLAnchorElement>('a[data-swap]')
    if (
      !link ||
      event.button !== 0 ||
      event.metaKey ||
      event.ctrlKey ||
      event.shiftKey ||
      event.altKey
    )
      return
    event.preventDefault()
    if (link.dataset.zoneLink !== undefined) offerZones(link)
    else void swap(link.href, { keep: 'push', from: link })
  })
  document.addEventListener('submit', holdBack)
  document.addEventListener('keydown', moveInMonth)
  window.addEventListener('popstate', () => void swap(location.href, { keep: 'stay' }))
  // A page that comes back from the browser's memory may have a form in it that was sent.
  window.addEventListener('pageshow', ({ persisted }) => persisted && release())
  setInterval(countDown, 5_000)
  countDown()
  findZone()
}

/** Another language shows what the page shows now, which its address was loaded without. */
function keepChoice(link: HTMLAnchorElement | null): void {
  const language = link?.dataset.language
  if (!link || language === undefined) return
  const address = new URL(location.href)
  address.searchParams.set('language', language)
  link.href = address.href
}

/** Times are shown in the browser's zone unless the visitor chose one. */
function findZone(): void {
  const picker = document.querySelector<HTMLElement>('[data-picker]')
  if (!picker || picker.dataset.zoneChosen !== undefined) return
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  if (!timeZone?.includes('/')) return
  const address = new URL(location.href)
  address.searchParams.set('zone', timeZone)
  if (timeZone === picker.dataset.zone) history.replaceState(null, '', address)
  else void swap(address.href, { keep: 'replace', quiet: true })
}

interface SwapOptions {
  keep: 'push' | 'replace' | 'stay'
  /** What was pressed; focus goes to where it leads. */
  from?: HTMLElement
  /** Not announced: the visitor did not ask for it. */
  quiet?: boolean
}

let latest = 0

/**
 * Replaces this page's content with that of another address. On any failure the browser navigates
 * there itself.
 */
async function swap(href: string, { keep, from, quiet }: SwapOptions): Promise<void> {
  const turn = ++latest
  const focused = from?.id ?? document.activeElement?.id
  main().setAttribute('aria-busy', 'true')
  try {
    const response = await fetch(href, {
      headers: { 'x-atrium-part': 'main' },
      credentials: 'same-origin',
    })
    const part = new DOMParser()
      .parseFromString(await response.text(), 'text/html')
      .getElementById('main')
    if (turn !== latest) return
    if (!part || response.redirected) throw new Error('no part of a page')
    if (keep === 'push') history.pushState(null, '', href)
    if (keep === 'replace') history.replaceState(null, '', href)
    main().replaceWith(part)
    document.title = part.dataset.title ?? document.title
    if (live && !quiet) live.textContent = part.dataset.announce ?? ''
    if (!quiet) showPlace(href, focused)
    tellHeight()
  } catch {
    if (turn === latest) location.assign(href)
  }
}

/**
 * The times where the address names them and they are out of sight; else the same control that was
 * pressed.
 */
function showPlace(href: string, focused: string | undefined): void {
  const again = focused ? document.getElementById(focused) : null
  if (again) again.focus({ preventScroll: true })
  else main().focus({ preventScroll: true })
  const target =
    new URL(href, location.href).hash === '#times' ? document.getElementById('times') : null
  if (target && target.getBoundingClientRect().top > innerHeight * 0.75)
    target.scrollIntoView({ block: 'start' })
}

/** A list of all zones in place of the link to it. */
function offerZones(link: HTMLAnchorElement): void {
  const shown = document.querySelector<HTMLElement>('[data-picker]')?.dataset.zone ?? ''
  const own = currentZoneName(Intl.DateTimeFormat().resolvedOptions().timeZone)
  const zones = [...new Set([shown, own, ...listTimeZones()])]
  const select = document.createElement('select')
  select.id = 'zone'
  select.setAttribute('aria-label', link.dataset.label ?? '')
  for (const zone of zones)
    select.add(new Option(zone.replaceAll('_', ' '), zone, zone === shown, zone === shown))
  select.addEventListener('change', () => {
    const address = new URL(link.href)
    address.searchParams.delete('choose')
    address.searchParams.set('zone', select.value)
    void swap(address.href, { keep: 'push', from: select })
  })
  link.replaceWith(select)
  select.focus()
}

/** A form that makes something is sent once, however often its button is pressed. */
function holdBack(event: SubmitEvent): void {
  const form = event.target as HTMLFormElement
  if (form.method !== 'post') return
  if (form.dataset.sent !== undefined) {
    event.preventDefault()
    return
  }
  form.dataset.sent = ''
  rememberHold(form)
  const button = event.submitter
  // Not disabled: its name and value are part of what is sent.
  button?.setAttribute('aria-disabled', 'true')
  const busy = button?.dataset.busy
  if (button && busy) {
    button.dataset.label = button.textContent ?? ''
    button.textContent = busy
    if (live) live.textContent = busy
  }
}

/** Going back to this page then shows the visitor's own hold as free. */
function rememberHold(form: HTMLFormElement): void {
  const lock = form.querySelector<HTMLInputElement>('[data-picker] input[name="lock"]')?.value
  if (lock === undefined) return
  const address = new URL(location.href)
  address.searchParams.set('lock', lock)
  history.replaceState(null, '', address)
}

function release(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>('form[data-sent]'))
    delete form.dataset.sent
  for (const button of document.querySelectorAll<HTMLElement>('[aria-disabled]')) {
    button.removeAttribute('aria-disabled')
    if (button.dataset.label) button.textContent = button.dataset.label
  }
}

/** Arrow keys go from one free day to the next, by day and by week. */
function moveInMonth(event: KeyboardEvent): void {
  const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 }
  const step = steps[event.key]
  const current = (event.target as Element).closest?.('.month a')
  if (step === undefined || !current) return
  event.preventDefault()
  const cells = [...document.querySelectorAll('.month td')]
  for (
    let at = cells.indexOf(current.parentElement as Element) + step;
    at >= 0 && at < cells.length;
    at += step
  ) {
    const link = cells[at]?.querySelector('a')
    if (!link) continue
    link.focus()
    return
  }
}

/** Shows when the hold of the chosen time has expired. */
function countDown(): void {
  const held = document.querySelector<HTMLElement>('[data-held-until]')
  if (!held || Date.parse(held.dataset.heldUntil ?? '') > Date.now()) return
  held.removeAttribute('data-held-until')
  held.textContent = held.dataset.over ?? ''
}

/** In a frame, the page is as high as its content and reports its height to its parent. */
function standInFrame(): void {
  document.documentElement.classList.add('framed')
  new ResizeObserver(tellHeight).observe(document.body)
}

function tellHeight(): void {
  // The height and title of a public page are no secrets.
  if (window.parent !== window)
    window.parent.postMessage(
      { atriumHeight: document.body.scrollHeight, atriumTitle: document.title },
      '*',
    )
}

start()
