import { templateLimits } from '@atrium/core/branding/branding'
import { defaultLanguage, type Language } from '@atrium/messages/languages'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { ProblemAlert } from '@atrium/ui/data-states'
import { done } from '@atrium/ui/done'
import { focusFirstError } from '@atrium/ui/form-focus'
import { translations } from '@atrium/ui/messages'
import { Panel } from '@atrium/ui/panel'
import { problemOf } from '@atrium/ui/problem'
import { SaveButtons } from '@atrium/ui/save-buttons'
import { Button, Grid, Stack, Switch, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDebouncedValue, useDisclosure } from '@mantine/hooks'
import { IconArrowBackUp } from '@tabler/icons-react'
import { useRef, useState } from 'react'
import { explain } from '../tenants/problems.ts'
import { mayChange } from '../tenants/roles.ts'
import { useTenant } from '../tenants/use-tenant.ts'
import { languageName } from './language-names.ts'
import { MailPreview } from './mail-preview.tsx'
import {
  checkMailText,
  fromMailText,
  insertVariable,
  type MailTextValues,
  type MailTextView,
  partErrors,
  toEmailTemplate,
} from './mail-text-form.ts'
import classes from './preview.module.css'
import { useUpdateBranding } from './queries.ts'
import { VariablesPanel } from './variables-panel.tsx'

const t = translations('portal.branding')

type Part = 'subject' | 'html' | 'text'
type Field = HTMLInputElement | HTMLTextAreaElement

interface Props {
  template: MailTextView
  /** The language of `template.standard`. */
  standardLanguage: Language
}

/** Subject and texts of one message beside how it will look. */
export function MailTextEditor({ template, standardLanguage }: Props) {
  const tenant = useTenant()
  const { slug } = tenant
  const editable = mayChange(tenant)
  const update = useUpdateBranding(slug)
  const [unplaced, setUnplaced] = useState<unknown>()
  const [reverting, { open, close }] = useDisclosure(false)
  const form = useForm<MailTextValues>({
    initialValues: fromMailText(template),
    validate: checkMailText,
  })
  const [draft] = useDebouncedValue(form.values, 400)
  const fields = useRef<Partial<Record<Part, Field | null>>>({})
  const [lastPart, setLastPart] = useState<Part>('text')
  const sendable = Object.keys(checkMailText(draft)).length === 0

  function save(values: MailTextValues) {
    setUnplaced(undefined)
    update.mutate(
      { slug, emailTemplates: { [template.key]: toEmailTemplate(values) } },
      {
        onSuccess: () => done(t('editor.saved', { message: template.title })),
        onError: (error) => {
          const errors = partErrors(problemOf(error))
          form.setErrors(errors)
          focusFirstError(errors)
          if (Object.keys(errors).length === 0) setUnplaced(error)
        },
      },
    )
  }

  function insert(name: string) {
    const part = lastPart === 'html' && !form.values.withHtml ? 'text' : lastPart
    const field = fields.current[part]
    const value = form.values[part]
    const { text, cursor } = insertVariable(
      value,
      name,
      field?.selectionStart ?? value.length,
      field?.selectionEnd ?? value.length,
    )
    form.setFieldValue(part, text)
    // After the new text is in the field; before that the cursor would jump to its end.
    requestAnimationFrame(() => {
      field?.focus()
      field?.setSelectionRange(cursor, cursor)
    })
  }

  const partProps = (part: Part) => ({
    ...form.getInputProps(part),
    ref: (field: Field | null) => {
      fields.current[part] = field
    },
    onFocus: () => setLastPart(part),
    disabled: !editable,
  })

  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, lg: 6 }}>
        <Panel
          title={t('editor.title')}
          description={
            template.override
              ? t('editor.ownText')
              : t('editor.standardText', {
                  language: languageName(standardLanguage),
                  otherwise: languageName(tenant.language ?? defaultLanguage),
                })
          }
        >
          <form noValidate onSubmit={form.onSubmit(save, focusFirstError)}>
            <Stack>
              <TextInput
                label={t('editor.subject')}
                required
                maxLength={templateLimits.subject}
                {...partProps('subject')}
              />
              <Switch
                label={t('editor.withHtml')}
                description={t('editor.withHtmlHint')}
                disabled={!editable}
                {...form.getInputProps('withHtml', { type: 'checkbox' })}
              />
              {form.values.withHtml && (
                <Textarea
                  className={classes.source}
                  label={t('editor.html')}
                  description={t('editor.htmlHint')}
                  required
                  autosize
                  minRows={8}
                  maxRows={22}
                  spellCheck={false}
                  {...partProps('html')}
                />
              )}
              <Textarea
                className={classes.source}
                label={t('editor.text')}
                description={t('editor.textHint')}
                required
                autosize
                minRows={6}
                maxRows={18}
                spellCheck={false}
                {...partProps('text')}
              />
              {unplaced !== undefined && (
                <ProblemAlert
                  title={t('editor.failed')}
                  error={unplaced}
                  message={explain(unplaced)}
                />
              )}
              {editable && (
                <SaveButtons
                  label={t('editor.save')}
                  saving={update.isPending}
                  dirty={form.isDirty()}
                  onDiscard={form.reset}
                >
                  {template.override && (
                    <Button
                      variant="default"
                      leftSection={<IconArrowBackUp size={17} aria-hidden />}
                      onClick={open}
                    >
                      {t('editor.revert')}
                    </Button>
                  )}
                </SaveButtons>
              )}
            </Stack>
          </form>
        </Panel>
      </Grid.Col>
      <Grid.Col span={{ base: 12, lg: 6 }}>
        <Stack gap="lg">
          <Panel title={t('preview.title')} description={t('preview.unsent')}>
            <MailPreview
              input={{
                slug,
                template: template.key,
                language: standardLanguage,
                ...(sendable ? { draft: toEmailTemplate(draft) } : {}),
              }}
              title={template.title}
            />
          </Panel>
          <VariablesPanel
            variables={template.variables}
            {...(editable ? { onInsert: insert } : {})}
          />
        </Stack>
      </Grid.Col>
      <ConfirmDialog
        opened={reverting}
        onClose={close}
        title={t('revert.title', { message: template.title })}
        confirmLabel={t('revert.confirm')}
        explain={explain}
        onConfirm={async () => {
          await update.mutateAsync({ slug, emailTemplates: { [template.key]: null } })
          done(t('revert.done', { message: template.title }))
        }}
      >
        {t('revert.hint')}
      </ConfirmDialog>
    </Grid>
  )
}
