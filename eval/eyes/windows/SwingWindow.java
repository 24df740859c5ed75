// A window in Swing, in one of its looks.
import java.awt.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import java.util.List;
import java.util.function.Supplier;
import javax.swing.*;
import javax.swing.table.DefaultTableModel;

public class SwingWindow {
    static final List<Supplier<String>> truth = new ArrayList<>();

    static void note(String role, String name, Component of, String value, String states) {
        note(role, name, of, () -> new Rectangle(0, 0, of.getWidth(), of.getHeight()), value, states);
    }

    static void note(String role, String name, Component of, Supplier<Rectangle> part, String value, String states) {
        truth.add(() -> {
            Point at = of.getLocationOnScreen();
            Rectangle box = part.get();
            return String.join("\t", role, name, "" + (at.x + box.x), "" + (at.y + box.y), "" + box.width,
                "" + box.height, value, states);
        });
    }

    static JComponent labelled(String label, JComponent made) {
        JPanel line = new JPanel(new FlowLayout(FlowLayout.LEFT, 6, 0));
        JLabel text = new JLabel(label);
        text.setPreferredSize(new Dimension(110, 22));
        line.add(text);
        line.add(made);
        return line;
    }

    static JComponent several(String label, String[] items) {
        JPanel line = new JPanel(new FlowLayout(FlowLayout.LEFT, 6, 0));
        if (!label.isEmpty()) line.add(new JLabel(label));
        for (String item : items) {
            JButton one = new JButton(item);
            line.add(one);
            note("button", item, one, "", "");
        }
        return line;
    }

    static JComponent made(String kind, String label, String value, String flag, String rows) {
        String[] items = value.replace("*", "").split("\\|");
        int chosen = -1, place = 0;
        for (String item : value.split("\\|")) {
            if (item.startsWith("*")) chosen = place;
            place++;
        }
        String states = flag.equals("on") ? "checked" : flag.equals("off") ? "disabled" : "";
        switch (kind) {
            case "textbox", "search": {
                JTextField field = new JTextField(value, 18);
                note(kind.equals("search") ? "searchbox" : "textbox", label, field, value, "");
                return labelled(label, field);
            }
            case "password": {
                JPasswordField field = new JPasswordField(value, 18);
                note("textbox", label, field, "", "");
                return labelled(label, field);
            }
            case "textarea": {
                JScrollPane field = new JScrollPane(new JTextArea(value, 3, 22));
                note("textbox", label, field, value, "");
                return labelled(label, field);
            }
            case "number": {
                JSpinner field = new JSpinner(new SpinnerNumberModel(Integer.parseInt(value), 0, 99, 1));
                note("spinbutton", label, field, value, "");
                return labelled(label, field);
            }
            case "select": {
                JComboBox<String> field = new JComboBox<>(items);
                field.setSelectedIndex(Math.max(0, chosen));
                note("combobox", label, field, items[Math.max(0, chosen)], "");
                return labelled(label, field);
            }
            case "checkbox", "switch": {
                JCheckBox field = new JCheckBox(label, flag.equals("on"));
                field.setEnabled(!flag.equals("off"));
                note("checkbox", label, field, "", states);
                return field;
            }
            case "radios": {
                JPanel line = new JPanel(new FlowLayout(FlowLayout.LEFT, 6, 0));
                line.setBorder(BorderFactory.createTitledBorder(label));
                ButtonGroup group = new ButtonGroup();
                for (int n = 0; n < items.length; n++) {
                    JRadioButton one = new JRadioButton(items[n], n == chosen);
                    group.add(one);
                    line.add(one);
                    note("radio", items[n], one, "", n == chosen ? "checked" : "");
                }
                return line;
            }
            case "slider": {
                JSlider field = new JSlider(0, 100, Integer.parseInt(value));
                note("slider", label, field, value, "");
                return labelled(label, field);
            }
            case "primary", "button", "link", "menu": {
                JButton field = new JButton(label);
                field.setEnabled(!flag.equals("off"));
                note("button", label, field, "", states);
                return field;
            }
            case "toolbar", "dialog": return several(kind.equals("dialog") ? label : "", items);
            case "tabs": {
                JTabbedPane field = new JTabbedPane();
                field.setPreferredSize(new Dimension(340, 60));
                for (String item : items) field.addTab(item, new JPanel());
                field.setSelectedIndex(Math.max(0, chosen));
                for (int n = 0; n < items.length; n++) {
                    int at = n;
                    note("tab", items[n], field, () -> field.getBoundsAt(at), "", n == chosen ? "selected" : "");
                }
                return field;
            }
            case "table": {
                DefaultTableModel model = new DefaultTableModel(items, 0);
                for (String row : rows.split(";")) model.addRow(row.split("\\|"));
                JScrollPane pane = new JScrollPane(new JTable(model));
                pane.setPreferredSize(new Dimension(420, 90));
                return pane;
            }
            case "tree": {
                JPanel line = new JPanel(new GridLayout(0, 1));
                for (String item : items) line.add(new JLabel(item));
                return line;
            }
        }
        return new JLabel(label);
    }

    public static void main(String[] given) throws Exception {
        String look = Map.of("metal", "javax.swing.plaf.metal.MetalLookAndFeel", "nimbus",
            "javax.swing.plaf.nimbus.NimbusLookAndFeel", "motif", "com.sun.java.swing.plaf.motif.MotifLookAndFeel").get(given[0]);
        UIManager.setLookAndFeel(look);
        List<String> lines = Files.readAllLines(Path.of(given[2]), StandardCharsets.UTF_8);
        String[] first = lines.get(0).split("\t");
        SwingUtilities.invokeAndWait(() -> {
            JFrame frame = new JFrame(first[1]);
            JPanel grid = new JPanel(new GridLayout(0, Integer.parseInt(first[2]), 24, 10));
            grid.setBorder(BorderFactory.createEmptyBorder(16, 16, 16, 16));
            for (String line : lines.subList(1, lines.size())) {
                String[] part = Arrays.copyOf(line.split("\t", -1), 5);
                JPanel cell = new JPanel(new FlowLayout(FlowLayout.LEFT, 0, 0));
                cell.add(made(part[0], part[1], part[2], part[3], part[4]));
                grid.add(cell);
            }
            frame.add(grid);
            frame.pack();
            frame.setLocation(40, 30);
            frame.setVisible(true);
        });
        Thread.sleep(1500);
        StringBuilder told = new StringBuilder("origin\tscreen\n");
        SwingUtilities.invokeAndWait(() -> truth.forEach(one -> told.append(one.get()).append("\n")));
        Path path = Path.of(given[3]), part = Path.of(given[3] + ".new");
        Files.writeString(part, told.toString());
        Files.move(part, path, StandardCopyOption.ATOMIC_MOVE);
    }
}
