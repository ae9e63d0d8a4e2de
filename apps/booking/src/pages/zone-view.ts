import { listTimeZones } from '@atrium/core/scheduling/time-zones'
import { html } from 'hono/html'
import { placeOfZone, zoneInRegion } from '../formats.ts'
import { address, choiceQuery } from '../picker.ts'
import type { Html } from './layout.ts'
import type { PickerView } from './picker-link.ts'

/**
 * In which zone times are shown, with its difference from UTC on the shown date, and the way to
 * another one: a link to the list, which the script replaces by a list in place.
 */
export function zoneLine(view: PickerView, date: string): Html {
  const { choice, formats } = view
  const query = { ...choiceQuery(choice, view.standardDuration), choose: 'zone' }
  return html`<div class="zone" id="zone-line"><p>${formats.text.rich('times.zone.shown', {
    place: placeOfZone(choice.zone),
    offset: formats.offset(`${date}T12:00:00Z`, choice.zone),
    strong: (chunks) => html`<strong>${chunks}</strong>`,
    dim: (chunks) => html`<span class="dim">${chunks}</span>`,
  })} <a href="${address(view.path, query)}" data-swap data-zone-link data-label="${formats.text('times.zone.label')}" id="zone">${formats.text('times.zone.change')}</a></p></div>`
}

/** The list of all zones, by region. */
export function zoneChoice(view: PickerView): Html {
  const { text } = view.formats
  const { zone: _, ...kept } = choiceQuery(view.choice, view.standardDuration)
  return html`<section class="pick"><h2>${text('times.zone.choose')}</h2>
<form method="get" action="${view.path}" class="fields">
${Object.entries(kept).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<p><label for="zones">${text('times.zone.label')}</label><select id="zones" name="zone" autofocus>${zonesByRegion(
    view.choice.zone,
    text('times.zone.other'),
  ).map(
    ([region, zones]) =>
      html`<optgroup label="${region}">${zones.map(
        (zone) =>
          html`<option value="${zone}"${zone === view.choice.zone ? html` selected` : ''}>${zoneInRegion(zone)}</option>`,
      )}</optgroup>`,
  )}</select></p>
<p class="buttons"><button class="button">${text('times.zone.show')}</button> <a href="${address(view.path, choiceQuery(view.choice, view.standardDuration))}">${text('times.zone.back')}</a></p></form></section>`
}

/**
 * With the zone that is shown, which may go by a name that Intl knows and does not list, such as
 * US/Pacific.
 */
function zonesByRegion(shown: string, other: string): [string, string[]][] {
  const zones = [...new Set([...listTimeZones(), shown])]
  const regions = Map.groupBy(zones, (zone) =>
    zone.includes('/') ? (zone.split('/')[0] ?? '') : other,
  )
  return [...regions].map(([region, ofRegion]) => [region, ofRegion.sort()])
}
