import type { BrandingView } from '@atrium/core/branding/branding'
import { describe, expect, it } from 'vitest'
import { changesOf, draftOf, fromBranding } from '../src/branding/branding-form.ts'
import {
  checkMailText,
  fromMailText,
  insertVariable,
  type MailTextView,
  partErrors,
  toEmailTemplate,
} from '../src/branding/mail-text-form.ts'

const branding = { productName: 'Acme Cloud', accentColor: '#1a6b82' } as BrandingView
const standard = { subject: 'Welcome', html: '<p>Hi</p>', text: 'Hi' }
const template = { key: 'member.welcome', standard, override: null } as unknown as MailTextView

describe('name and colour', () => {
  it('send what was changed alone, and null for what was emptied', () => {
    expect(changesOf('acme', branding, fromBranding(branding))).toBeUndefined()
    expect(changesOf('acme', branding, { productName: ' ', accentColor: '#1A6B82' })).toEqual({
      slug: 'acme',
      productName: null,
    })
  })

  it('preview valid fields, and ignore a half-typed colour', () => {
    expect(draftOf({ productName: '', accentColor: '#1A6B82' })).toEqual({
      productName: null,
      accentColor: '#1a6b82',
    })
    expect(draftOf({ productName: 'x'.repeat(99), accentColor: '#1a6' })).toEqual({})
  })
})

describe('a mail text', () => {
  it('begins with the override, else with the standard', () => {
    expect(fromMailText(template)).toEqual({
      subject: 'Welcome',
      withHtml: true,
      html: '<p>Hi</p>',
      text: 'Hi',
    })
    const override = {
      subject: 'Moin',
      html: null,
      text: 'Moin',
      updatedAt: '2026-01-01T00:00:00Z',
    }
    expect(fromMailText({ ...template, override })).toEqual({
      subject: 'Moin',
      withHtml: false,
      html: '<p>Hi</p>',
      text: 'Moin',
    })
  })

  it('leaves the HTML part out when it is switched off, and then does not check it', () => {
    const values = { subject: 'Hi', withHtml: false, html: '', text: 'Hi' }
    expect(toEmailTemplate(values)).toEqual({ subject: 'Hi', html: null, text: 'Hi' })
    expect(checkMailText(values)).toEqual({})
    expect(Object.keys(checkMailText({ ...values, withHtml: true, text: ' ' }))).toEqual([
      'html',
      'text',
    ])
  })

  it('puts rejections at their part, whatever precedes it in the path', () => {
    const issues = [
      { path: 'emailTemplates.member.welcome.html', message: 'Line 1' },
      { path: 'draft.text', message: 'Line 2' },
      { path: 'context', message: 'Elsewhere' },
    ]
    expect(partErrors({ issues })).toEqual({ html: 'Line 1', text: 'Line 2' })
  })

  it('takes a variable at the cursor', () => {
    expect(insertVariable('Hello you!', 'member.name', 6, 9)).toEqual({
      text: 'Hello {{ member.name }}!',
      cursor: 23,
    })
  })
})
