import 'react-json-view-lite/dist/index.css';
import { collapseAllNested, defaultStyles, JsonView } from 'react-json-view-lite';
import './json-tree.css';

const STYLES = { ...defaultStyles, container: 'tree', quotesForFieldNames: false };

// biome-ignore lint/style/noDefaultExport: what React loads later is a module's default.
export default function JsonTree({ value, label }: { value: unknown; label: string }) {
  const data: object = typeof value === 'object' && value !== null ? value : { value };
  return (
    <div className="json">
      <JsonView
        data={data}
        aria-label={label}
        style={STYLES}
        shouldExpandNode={collapseAllNested}
        clickToExpandNode
      />
    </div>
  );
}
