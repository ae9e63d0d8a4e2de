import type { SlotView } from '@atrium/core/scheduling/slot-availability'
import { html } from 'hono/html'
import { addDays, addMonths, monthGrid, monthOfDate } from '../days.ts'
import type { Formats } from '../formats.ts'
import { type Choice, mostMonths, type SlotAvailability } from '../picker.ts'
import type { Html } from './layout.ts'
import { type PickerView, pickerLink } from './picker-link.ts'
import { zoneChoice, zoneLine } from './zone-view.ts'

/**
 * Calendar, times and the ways to change both. Every control is a link or a button of a form, so
 * that it works without a script.
 */
export function pickerView(view: PickerView, offer: SlotAvailability): Html {
  if (view.choosingZone) return zoneChoice(view)
  return html`<section class="pick" data-picker data-zone="${view.choice.zone}"${view.choice.zoneChosen ? ' data-zone-chosen' : ''}>
${view.durations.length > 1 ? durations(view) : ''}
<div class="calendar">${calendarHead(view, offer)}${view.choice.view === 'week' ? weekTimes(view, offer) : monthTable(view, offer)}</div>
${view.choice.view === 'month' ? dayTimes(view, offer) : ''}
${zoneLine(view, offer.date ?? firstShown(offer))}
</section>`
}

function firstShown({ dates, today }: SlotAvailability): string {
  return dates.find((date) => date >= today) ?? today
}

function durations(view: PickerView): Html {
  return html`<nav class="segments" aria-label="${view.formats.text('times.duration')}">${view.durations.map(
    (minutes) =>
      html`<a href="${pickerLink(view, { duration: minutes })}" data-swap id="duration-${minutes}"${minutes === view.choice.duration ? html` aria-current="true"` : ''}>${view.formats.duration(minutes)}</a>`,
  )}</nav>`
}

function calendarHead(view: PickerView, offer: SlotAvailability): Html {
  const { choice, formats } = view
  const { text } = formats
  const week = choice.view === 'week'
  const first = offer.dates[0] ?? offer.today
  const earlier = week
    ? first > offer.today && {
        change: { date: addDays(first, -7), month: undefined },
        name: text('times.previousWeek'),
      }
    : offer.month > monthOfDate(offer.today) &&
      monthStep(view, addMonths(offer.month, -1), 'previousMonth')
  const later = week
    ? monthOfDate(addDays(first, 7)) <= addMonths(monthOfDate(offer.today), mostMonths) && {
        change: { date: addDays(first, 7), month: undefined },
        name: text('times.nextWeek'),
      }
    : offer.month < addMonths(monthOfDate(offer.today), mostMonths) &&
      monthStep(view, addMonths(offer.month, 1), 'nextMonth')
  const heading = week
    ? formats.dayRange(first, offer.dates.at(-1) ?? first)
    : formats.month(offer.month)
  return html`<div class="calendar-head"><h2 id="period">${heading}</h2>
<nav aria-label="${text('times.period')}">${step(view, earlier, 'earlier', '‹')}${step(view, later, 'later', '›')}</nav>
<nav class="segments" aria-label="${text('times.view')}">${(['month', 'week'] as const).map(
    (name) =>
      html`<a href="${pickerLink(view, { view: name, month: undefined, date: choice.date ?? offer.date })}" data-swap id="view-${name}"${name === choice.view ? html` aria-current="true"` : ''}>${text(`times.${name}`)}</a>`,
  )}</nav></div>`
}

interface Step {
  change: Partial<Choice>
  name: string
}

function monthStep(
  { formats }: PickerView,
  month: string,
  name: 'previousMonth' | 'nextMonth',
): Step {
  return {
    change: { month, date: undefined },
    name: formats.text(`times.${name}`, { month: formats.month(month) }),
  }
}

function step(view: PickerView, to: Step | false, id: string, sign: string): Html {
  if (!to) return html`<span class="step" aria-hidden="true">${sign}</span>`
  return html`<a class="step" href="${pickerLink(view, to.change)}" data-swap id="${id}" aria-label="${to.name}"><span aria-hidden="true">${sign}</span></a>`
}

function monthTable(view: PickerView, offer: SlotAvailability): Html {
  const { formats } = view
  // Weeks that are over hold nothing to choose, and push the times out of a phone's sight.
  const weeks = monthGrid(offer.month, formats.firstWeekday).filter((week) =>
    week.some((date) => date !== null && date >= offer.today),
  )
  const weekdays = Array.from({ length: 7 }, (_, index) =>
    formats.weekday((formats.firstWeekday + index) % 7),
  )
  return html`<table class="month" aria-labelledby="period"><thead><tr>${weekdays.map(
    ({ short, long }) => html`<th scope="col" abbr="${long}">${short}</th>`,
  )}</tr></thead><tbody>${weeks.map(
    (week) =>
      html`<tr>${week.map((date) => html`<td>${date === null ? '' : dayCell(view, offer, date)}</td>`)}</tr>`,
  )}</tbody></table>`
}

function dayCell(view: PickerView, offer: SlotAvailability, date: string): Html {
  const count = offer.slots[date]?.length ?? 0
  const number = Number(date.slice(8))
  const today = date === offer.today ? html` data-today` : ''
  if (count === 0) return html`<span${today}>${number}</span>`
  const { text, day } = view.formats
  const label = text('times.dayWithTimes', { day: day(date), count })
  return html`<a href="${pickerLink(view, { date, month: undefined })}#times" data-swap id="d${date}" aria-label="${label}"${today}${date === offer.date ? html` aria-current="date"` : ''}>${number}</a>`
}

function dayTimes(view: PickerView, offer: SlotAvailability): Html {
  const { formats } = view
  if (offer.date === undefined)
    return html`<section class="times" id="times"><h2>${formats.text('times.noneInMonth', { month: formats.month(offer.month) })}</h2>${furtherDays(view, offer)}</section>`
  const slots = offer.slots[offer.date] ?? []
  return html`<section class="times" id="times" aria-labelledby="day"><h2 id="day">${formats.day(offer.date)}</h2>
${slots.length === 0 ? html`<p>${formats.text('times.noneOnDay')}</p>${furtherDays(view, offer)}` : timeForm(view, slots, formats.day(offer.date))}</section>`
}

function weekTimes(view: PickerView, offer: SlotAvailability): Html {
  const { formats } = view
  const days = offer.dates.filter((date) => date >= offer.today)
  const free = days.some((date) => (offer.slots[date]?.length ?? 0) > 0)
  return html`<div class="week">${days.map((date) => {
    const slots = offer.slots[date] ?? []
    return html`<section aria-labelledby="w${date}"><h3 id="w${date}">${formats.shortDay(date)}</h3>${
      slots.length === 0
        ? html`<p class="dim">${formats.text('times.none')}</p>`
        : timeForm(view, slots, formats.day(date))
    }</section>`
  })}</div>${free ? '' : html`<div id="times">${furtherDays(view, offer)}</div>`}`
}

function furtherDays(view: PickerView, { nextFree, dates }: SlotAvailability): Html {
  const { formats } = view
  if (nextFree === undefined) {
    const month = monthOfDate(addDays(dates.at(-1) ?? '', 62))
    return html`<p>${formats.text('times.noneLater', { month: formats.month(month) })}</p>`
  }
  return html`<p><a href="${pickerLink(view, { date: nextFree, month: undefined })}#times" data-swap>${formats.text('times.nextFree', { day: formats.day(nextFree) })}</a></p>`
}

/**
 * What each start reads as. Where the clocks go back an hour comes twice: starts that would read
 * the same tell their difference from UTC.
 */
function startTexts(
  slots: readonly SlotView[],
  { time, offset }: Formats,
  zone: string,
): (start: string) => string {
  const counts = new Map<string, number>()
  for (const { start } of slots)
    counts.set(time(start, zone), (counts.get(time(start, zone)) ?? 0) + 1)
  return (start) => {
    const text = time(start, zone)
    return (counts.get(text) ?? 0) > 1 ? `${text} (${offset(start, zone)})` : text
  }
}

/** The times of a day as buttons. A time with several places shows how many are left. */
export function timeForm(
  { choice, formats, target, standardDuration, lockToken }: PickerView,
  slots: readonly SlotView[],
  day: string,
): Html {
  const textOf = startTexts(slots, formats, choice.zone)
  return html`<form method="${target.method}" action="${target.action}">
${choice.zoneChosen ? html`<input type="hidden" name="zone" value="${choice.zone}">` : ''}
${choice.duration === standardDuration ? '' : html`<input type="hidden" name="duration" value="${choice.duration}">`}
${lockToken === undefined ? '' : html`<input type="hidden" name="lock" value="${lockToken}">`}
<ul class="slots">${slots.map(
    ({ start, seatsLeft }) =>
      html`<li><button name="start" value="${start}"><span class="hidden">${day}, </span>${textOf(start)}${
        seatsLeft === undefined
          ? ''
          : html`<small>${formats.text('times.placesLeft', { count: seatsLeft })}</small>`
      }</button></li>`,
  )}</ul></form>`
}

/**
 * Buttons of a form that was rejected because its time is gone: choosing another one keeps what was
 * typed.
 */
export function otherTimes(
  slots: readonly SlotView[],
  { formats, zone, allDays }: { formats: Formats; zone: string; allDays: string },
): Html {
  const textOf = startTexts(slots, formats, zone)
  const link = (chunks: unknown) => html`<a href="${allDays}">${chunks}</a>`
  return html`<fieldset class="others"><legend>${formats.text('times.others.legend')}</legend>${
    slots.length === 0
      ? html`<p>${formats.text.rich('times.others.none', { link })}</p>`
      : html`<ul class="slots">${slots.map(
          ({ start }) =>
            html`<li><button name="choose" value="${start}" formnovalidate>${textOf(start)}</button></li>`,
        )}</ul><p class="hint">${formats.text.rich('times.others.hint', { link })}</p>`
  }</fieldset>`
}
