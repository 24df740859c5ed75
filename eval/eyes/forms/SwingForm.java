// A form in Swing, from a file of tab-separated lines; Save writes what it holds as JSON.
// java SwingForm.java {metal|nimbus|motif} {left|above} LINES OUT
import java.awt.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import java.util.List;
import java.util.function.Supplier;
import javax.swing.*;

public class SwingForm {
    static final Map<String, Supplier<String>> readers = new LinkedHashMap<>();

    static String quoted(String text) {
        return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
    }

    static JComponent made(String kind, String label, String[] items) {
        switch (kind) {
            case "number": {
                JSpinner field = new JSpinner(new SpinnerNumberModel(0, 0, 999, 1));
                readers.put(label, () -> quoted("" + field.getValue()));
                return field;
            }
            case "choice": {
                JComboBox<String> field = new JComboBox<>(items);
                readers.put(label, () -> quoted("" + field.getSelectedItem()));
                return field;
            }
            case "tick": {
                JCheckBox field = new JCheckBox(label);
                readers.put(label, () -> "" + field.isSelected());
                return field;
            }
            case "radio": {
                JPanel line = new JPanel(new FlowLayout(FlowLayout.LEFT, 6, 0));
                ButtonGroup group = new ButtonGroup();
                String[] chosen = {items[0]};
                for (String item : items) {
                    JRadioButton one = new JRadioButton(item, item.equals(items[0]));
                    one.addActionListener(event -> chosen[0] = item);
                    group.add(one);
                    line.add(one);
                }
                readers.put(label, () -> quoted(chosen[0]));
                return line;
            }
            default: {
                JTextField field = new JTextField(22);
                readers.put(label, () -> quoted(field.getText()));
                return field;
            }
        }
    }

    public static void main(String[] given) throws Exception {
        String look = Map.of("metal", "javax.swing.plaf.metal.MetalLookAndFeel", "nimbus",
            "javax.swing.plaf.nimbus.NimbusLookAndFeel", "motif", "com.sun.java.swing.plaf.motif.MotifLookAndFeel").get(given[0]);
        UIManager.setLookAndFeel(look);
        List<String> lines = Files.readAllLines(Path.of(given[2]), StandardCharsets.UTF_8);
        SwingUtilities.invokeLater(() -> {
            JFrame frame = new JFrame("Form");
            JPanel outer = new JPanel(new GridBagLayout());
            GridBagConstraints at = new GridBagConstraints();
            at.anchor = GridBagConstraints.WEST;
            at.insets = new Insets(4, 6, 4, 6);
            at.gridy = 0;
            for (String line : lines) {
                String[] parts = line.split("\t", -1);
                JComponent field = made(parts[0], parts[1], parts[2].split("\\|"));
                at.gridx = 0;
                if (!parts[0].equals("tick")) {
                    outer.add(new JLabel(parts[1]), at);
                    if (given[1].equals("above")) at.gridy++;
                }
                at.gridx = given[1].equals("above") ? 0 : 1;
                outer.add(field, at);
                at.gridy++;
            }
            JLabel said = new JLabel(" ");
            JButton save = new JButton("Save");
            save.addActionListener(event -> {
                StringJoiner all = new StringJoiner(", ", "{", "}");
                readers.forEach((label, reader) -> all.add(quoted(label) + ": " + reader.get()));
                try {
                    Files.writeString(Path.of(given[3]), all.toString());
                    said.setText("Saved");
                } catch (Exception error) {
                    said.setText("not saved");
                }
            });
            at.gridx = 0;
            outer.add(save, at);
            at.gridx = 1;
            outer.add(said, at);
            outer.setBorder(BorderFactory.createEmptyBorder(10, 14, 10, 14));
            frame.add(outer);
            frame.pack();
            frame.setLocation(60, 40);
            frame.setVisible(true);
        });
    }
}
