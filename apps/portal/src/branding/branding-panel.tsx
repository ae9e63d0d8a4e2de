import { ProblemAlert } from '@atrium/ui/data-states'
import { focusFirstError } from '@atrium/ui/form-focus'
import { translations } from '@atrium/ui/messages'
import { Panel } from '@atrium/ui/panel'
import { SaveButtons } from '@atrium/ui/save-buttons'
import { Stack, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { AccentColorInput } from './accent-color-input.tsx'
import type { BrandingFormValues } from './branding-form.ts'
import { ColorSample, ContrastNotes } from './contrast-notes.tsx'

const t = translations('portal.branding')

interface Field {
  hint: string
  /** What applies while the field is empty. */
  placeholder: string
}

interface Props {
  form: UseFormReturnType<BrandingFormValues>
  /** The colour that the fields lead to; undefined for one that is half typed. */
  color: string | undefined
  productName: Field
  accentColor: Field
  editable: boolean
  saving: boolean
  /** Why nothing was saved, where no field has the error. */
  failure: unknown
  explain: (error: unknown) => string | undefined
  onSubmit: (values: BrandingFormValues) => void
}

/** The form for the name and the colour of a workplace, or of a partner's customers. */
export function BrandingPanel({
  form,
  color,
  productName,
  accentColor,
  editable,
  saving,
  failure,
  explain,
  onSubmit,
}: Props) {
  return (
    <Panel title={t('form.title')}>
      <form noValidate onSubmit={form.onSubmit(onSubmit, focusFirstError)}>
        <Stack>
          <TextInput
            label={t('form.productName')}
            description={productName.hint}
            placeholder={productName.placeholder}
            maxLength={60}
            disabled={!editable}
            {...form.getInputProps('productName')}
          />
          <AccentColorInput
            label={t('form.accent')}
            description={accentColor.hint}
            placeholder={accentColor.placeholder}
            eyeDropperLabel={t('form.eyeDropper')}
            disabled={!editable}
            {...form.getInputProps('accentColor')}
          />
          {color && <ColorSample color={color} label={t('form.sample')} />}
          {color && editable && (
            <ContrastNotes
              color={color}
              onTake={(nearest) => form.setFieldValue('accentColor', nearest)}
            />
          )}
          {failure !== undefined && (
            <ProblemAlert title={t('form.failed')} error={failure} message={explain(failure)} />
          )}
          {editable && (
            <SaveButtons
              label={t('form.save')}
              saving={saving}
              dirty={form.isDirty()}
              onDiscard={form.reset}
            />
          )}
        </Stack>
      </form>
    </Panel>
  )
}
