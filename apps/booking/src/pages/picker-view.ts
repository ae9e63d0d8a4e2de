import type { SlotView } from '@atrium/core/scheduling/slot-availability'
import { html } from 'hono/html'
import { addDays, addMonths, monthGrid, monthOfDate } from '../days.ts'
import { durationText, type Formats } from '../formats.ts'
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
  return html`<nav class="segments" aria-label="Duration">${view.durations.map(
    (minutes) =>
      html`<a href="${pickerLink(view, { duration: minutes })}" data-swap id="duration-${minutes}"${minutes === view.choice.duration ? html` aria-current="true"` : ''}>${durationText(minutes)}</a>`,
  )}</nav>`
}

function calendarHead(view: PickerView, offer: SlotAvailability): Html {
  const { choice, formats } = view
  const week = choice.view === 'week'
  const first = offer.dates[0] ?? offer.today
  const earlier = week
    ? first > offer.today && {
        change: { date: addDays(first, -7), month: undefined },
        name: 'Previous week',
      }
    : offer.month > monthOfDate(offer.today) &&
      monthStep(view, addMonths(offer.month, -1), 'Previous')
  const later = week
    ? monthOfDate(addDays(first, 7)) <= addMonths(monthOfDate(offer.today), mostMonths) && {
        change: { date: addDays(first, 7), month: undefined },
        name: 'Next week',
      }
    : offer.month < addMonths(monthOfDate(offer.today), mostMonths) &&
      monthStep(view, addMonths(offer.month, 1), 'Next')
  const heading = week
    ? formats.dayRange(first, offer.dates.at(-1) ?? first)
    : formats.month(offer.month)
  return html`<div class="calendar-head"><h2 id="period"${lang(formats)}>${heading}</h2>
<nav aria-label="Period">${step(view, earlier, 'earlier', '‹')}${step(view, later, 'later', '›')}</nav>
<nav class="segments" aria-label="View">${(['month', 'week'] as const).map(
    (name) =>
      html`<a href="${pickerLink(view, { view: name, month: undefined, date: choice.date ?? offer.date })}" data-swap id="view-${name}"${name === choice.view ? html` aria-current="true"` : ''}>${name === 'month' ? 'Month' : 'Week'}</a>`,
  )}</nav></div>`
}

interface Step {
  change: Partial<Choice>
  name: string
}

function monthStep({ formats }: PickerView, month: string, word: 'Previous' | 'Next'): Step {
  return { change: { month, date: undefined }, name: `${word} month, ${formats.month(month)}` }
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
  return html`<table class="month" aria-labelledby="period"><thead><tr${lang(formats)}>${weekdays.map(
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
  const label = `${view.formats.day(date)}, ${count} ${count === 1 ? 'time' : 'times'}`
  return html`<a href="${pickerLink(view, { date, month: undefined })}#times" data-swap id="d${date}" aria-label="${label}"${today}${date === offer.date ? html` aria-current="date"` : ''}>${number}</a>`
}

function dayTimes(view: PickerView, offer: SlotAvailability): Html {
  const { formats } = view
  if (offer.date === undefined)
    return html`<section class="times" id="times"><h2>No free times in <span${lang(formats)}>${formats.month(offer.month)}</span></h2>${furtherDays(view, offer)}</section>`
  const slots = offer.slots[offer.date] ?? []
  return html`<section class="times" id="times" aria-labelledby="day"><h2 id="day"${lang(formats)}>${formats.day(offer.date)}</h2>
${slots.length === 0 ? html`<p>No times are left on this day.</p>${furtherDays(view, offer)}` : timeForm(view, slots, formats.day(offer.date))}</section>`
}

function weekTimes(view: PickerView, offer: SlotAvailability): Html {
  const { formats } = view
  const days = offer.dates.filter((date) => date >= offer.today)
  const free = days.some((date) => (offer.slots[date]?.length ?? 0) > 0)
  return html`<div class="week">${days.map((date) => {
    const slots = offer.slots[date] ?? []
    return html`<section aria-labelledby="w${date}"><h3 id="w${date}"${lang(formats)}>${formats.shortDay(date)}</h3>${
      slots.length === 0
        ? html`<p class="dim">No times</p>`
        : timeForm(view, slots, formats.day(date))
    }</section>`
  })}</div>${free ? '' : html`<div id="times">${furtherDays(view, offer)}</div>`}`
}

function furtherDays(view: PickerView, { nextFree, dates }: SlotAvailability): Html {
  const { formats } = view
  if (nextFree === undefined) {
    const month = monthOfDate(addDays(dates.at(-1) ?? '', 62))
    return html`<p>There are none in the two months after it either (until <span${lang(formats)}>${formats.month(month)}</span>).</p>`
  }
  return html`<p><a href="${pickerLink(view, { date: nextFree, month: undefined })}#times" data-swap>The next free day is <span${lang(formats)}>${formats.day(nextFree)}</span></a></p>`
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

/** The times of a day as buttons. A place that is one of several tells how many are left. */
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
          : html`<small>${seatsLeft} ${seatsLeft === 1 ? 'place' : 'places'}</small>`
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
  return html`<fieldset class="others"><legend>Choose another time</legend>${
    slots.length === 0
      ? html`<p>No other time is left on this day. <a href="${allDays}">See all days</a></p>`
      : html`<ul class="slots">${slots.map(
          ({ start }) =>
            html`<li><button name="choose" value="${start}" formnovalidate>${textOf(start)}</button></li>`,
        )}</ul><p class="hint">What you typed stays. Or <a href="${allDays}">see all days</a> and begin anew.</p>`
  }</fieldset>`
}

export function lang({ lang }: Formats): Html | '' {
  return lang === undefined ? '' : html` lang="${lang}"`
}
