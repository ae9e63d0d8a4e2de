import type { BookingText } from '@atrium/messages/booking'
import { html } from 'hono/html'
import type { Html } from './layout.ts'

export interface Field {
  text: BookingText
  /** Of the form; its id as well. */
  name: string
  label: string
  value: string
  error: string | undefined
  required?: boolean
  hint?: string
}

export function textField(
  field: Field,
  input: { type: 'text' | 'email' | 'tel'; autocomplete?: string; most: number },
): Html {
  return wrapped(
    field,
    html`<input id="${field.name}" name="${field.name}" type="${input.type}" value="${field.value}" maxlength="${input.most}"${
      input.autocomplete ? html` autocomplete="${input.autocomplete}"` : ''
    }${states(field)}>`,
  )
}

export function areaField(field: Field, { rows, most }: { rows: number; most: number }): Html {
  return wrapped(
    field,
    html`<textarea id="${field.name}" name="${field.name}" rows="${rows}" maxlength="${most}"${states(field)}>${field.value}</textarea>`,
  )
}

export function choiceField(field: Field, options: readonly string[]): Html {
  if (options.length > 6)
    return wrapped(
      field,
      html`<select id="${field.name}" name="${field.name}"${states(field)}><option value="">${field.text('frame.chooseOne')}</option>${options.map(
        (option) =>
          html`<option value="${option}"${option === field.value ? html` selected` : ''}>${option}</option>`,
      )}</select>`,
    )
  return html`<fieldset class="field"${field.error ? html` aria-describedby="${field.name}-error"` : ''}><legend>${label(field)}</legend>${options.map(
    (option, index) =>
      html`<label class="check"><input type="radio" name="${field.name}" value="${option}"${index === 0 ? html` id="${field.name}"` : ''}${
        option === field.value ? html` checked` : ''
      }${field.required ? html` required` : ''}> ${option}</label>`,
  )}${errorText(field)}</fieldset>`
}

export function checkField(field: Field): Html {
  return html`<div class="field"><label class="check"><input type="checkbox" id="${field.name}" name="${field.name}" value="true"${
    field.value === 'true' ? html` checked` : ''
  }${states(field)}> <span>${label(field)}</span></label>${errorText(field)}</div>`
}

function wrapped(field: Field, control: Html): Html {
  return html`<div class="field"><label for="${field.name}">${label(field)}</label>${
    field.hint ? html`<p class="hint" id="${field.name}-hint">${field.hint}</p>` : ''
  }${control}${errorText(field)}</div>`
}

function label({ text, label, required }: Field): Html {
  return html`${label}${required ? '' : html` <span class="dim">${text('frame.optional')}</span>`}`
}

function states({ name, error, required, hint }: Field): Html {
  const described = [hint && `${name}-hint`, error && `${name}-error`].filter(Boolean).join(' ')
  return html`${required ? html` required` : ''}${error ? html` aria-invalid="true"` : ''}${described ? html` aria-describedby="${described}"` : ''}`
}

function errorText({ name, error }: Field): Html {
  return error ? html`<p class="error" id="${name}-error">${error}</p>` : html``
}
