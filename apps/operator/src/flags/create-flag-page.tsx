import { CreateFlag } from '@atrium/core/flags/flags'
import { done } from '@atrium/ui/done'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { Panel } from '@atrium/ui/panel'
import { fieldErrors, problemOf } from '@atrium/ui/problem'
import { Box, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { createLazyRoute, useNavigate } from '@tanstack/react-router'
import { FormFooter } from '../parts/edit-dialog.tsx'
import {
  AboutFields,
  ConditionFields,
  NoteField,
  RolloutFields,
  TargetingFields,
} from './flag-fields.tsx'
import { emptyFlag, type FlagForm, fieldOf, toCreateFlag, validateFlag } from './flag-form.ts'
import { GuardFields } from './guard-fields.tsx'
import { useCreateFlag } from './mutations.ts'

const t = translations('operator.flags')

export const Route = createLazyRoute('/authenticated/flags/new')({ component: CreateFlagPage })

function CreateFlagPage() {
  const navigate = useNavigate()
  const create = useCreateFlag()
  const form = useForm<FlagForm>({
    initialValues: emptyFlag,
    validate: validateFlag(CreateFlag, toCreateFlag),
    validateInputOnBlur: true,
  })
  const showErrors = (errors: Readonly<Record<string, unknown>>) => {
    const [first] = Object.keys(errors)
    if (first !== undefined) form.getInputNode(first)?.focus()
  }
  const send = form.onSubmit(
    (values) =>
      create.mutate(toCreateFlag(values), {
        onSuccess: (flag) => {
          done(t('create.done', { key: flag.key }))
          void navigate({ to: '/flags/$key', params: { key: flag.key } })
        },
        onError: (error) => {
          const problem = problemOf(error)
          const rejected = Object.entries(fieldErrors(problem)).map(([path, message]) => [
            fieldOf(path, values),
            message,
          ])
          const errors =
            problem.code === 'already_exists'
              ? { key: problem.message }
              : Object.fromEntries(rejected)
          form.setErrors(errors)
          showErrors(errors)
        },
      }),
    showErrors,
  )
  return (
    <>
      <PageHeader title={t('new')} description={t('create.description')} />
      <Box component="form" onSubmit={send} noValidate maw={720}>
        <Stack gap="lg">
          <Panel title={t('settings.about')}>
            <Stack>
              <TextInput
                label={t('fields.key')}
                description={t('create.keyHint')}
                placeholder="new_billing_engine"
                withAsterisk
                autoCapitalize="none"
                autoComplete="off"
                spellCheck={false}
                {...form.getInputProps('key')}
              />
              <AboutFields form={form} />
            </Stack>
          </Panel>
          <Panel title={t('settings.rollout')}>
            <RolloutFields form={form} />
          </Panel>
          <Panel title={t('settings.lists.title')} description={t('create.lists')}>
            <TargetingFields form={form} />
          </Panel>
          <Panel title={t('settings.conditions.title')} description={t('create.conditions')}>
            <ConditionFields form={form} />
          </Panel>
          <Panel title={t('guards.title')} description={t('create.guards')}>
            <GuardFields form={form} />
          </Panel>
          <NoteField form={form} required={false} />
          <FormFooter
            error={create.error}
            submitLabel={t('create.submit')}
            pending={create.isPending}
            onCancel={() => void navigate({ to: '/flags' })}
          />
        </Stack>
      </Box>
    </>
  )
}
